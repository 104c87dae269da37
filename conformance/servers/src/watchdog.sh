# Started with the folder of a server as its argument and a pipe from the process that started the server as its input.
# Every line is the process group that runs now, and an empty line says that none does. The pipe ends when that process lets
# go of it, or has ended in whatever way, and then nothing may be left of the server.
folder=$1
note=$folder/data/postmaster.pid
group=
while read -r line; do group=$line; done

# The note of a server begins with its number. It removes its note last, and before that it kills, after five seconds, those
# of its processes that do not end by themselves.
if [ -n "$group" ] && [ "$(head -n 1 "$note")" = "$group" ]; then
  kill -s QUIT -- "-$group"
  kill -s CONT -- "-$group"
  attempts=500
  while [ -e "$note" ] && kill -s 0 -- "-$group" && [ "$attempts" -gt 0 ]; do
    attempts=$((attempts - 1))
    sleep 0.02
  done
fi
if [ -n "$group" ]; then kill -s KILL -- "-$group"; fi

# A server that was killed leaves its note, and in it the number of the shared memory that it left with the system.
if [ -e "$note" ]; then
  set -- $(sed -n 7p "$note")
  if [ -n "$2" ]; then ipcrm -m "$2"; fi
fi

# What was killed just now may still have made a file.
attempts=500
until rm -rf -- "$folder" || [ "$attempts" -eq 0 ]; do
  attempts=$((attempts - 1))
  sleep 0.02
done
