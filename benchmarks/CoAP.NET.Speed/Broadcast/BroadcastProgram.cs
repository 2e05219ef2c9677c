namespace CoAP.NET.Speed.Broadcast;

/// <summary>A chat over coap+tcp with each engine: every message goes to every client: <c>broadcast</c>.</summary>
internal static class BroadcastProgram
{
    public const string Verb = "broadcast";

    private const string Usage = """
        usage: CoAP.NET.Speed broadcast [OPTION]...              a chat of N clients at N/100 messages a second: times, processor, heap, threads
               CoAP.NET.Speed broadcast --fan-out [OPTION]...    each message as soon as all clients have the one before: delivered a second
               CoAP.NET.Speed broadcast --self-check             tries both, small and short
               Linux, loopback, processors 0 (server) and 1 (all clients); exit code 1 when clients got nothing or lost their connection
          --engines LIST     inline,async,blocking
          --clients LIST     100,500,1000,2000,4000; with --fan-out 10,100,1000
          --every S          seconds between two messages of one client (100); not with --fan-out
          --payload N        bytes of a message, at least 10 (100)
          --seconds N        for each figure (10; with --fan-out 5)
        """;

    private static readonly string[] s_engines = ["inline", "async", "blocking"];

    public static int Run(string[] args)
    {
        if (args is ["--help" or "-h", ..])
        {
            Console.WriteLine(Usage);
            return 0;
        }

        Arguments arguments = Arguments.Parse(
            args, ["--engines", "--clients", "--every", "--payload", "--seconds"], ["--fan-out", "--self-check"]);
        string[] engines = arguments.Texts("--engines", s_engines);
        if (engines.Except(s_engines).FirstOrDefault() is { } unknown)
        {
            throw new ArgumentException($"'{unknown}' is not an engine: {string.Join(", ", s_engines)}.");
        }

        bool isFanOut = arguments.Has("--fan-out");
        if (isFanOut && arguments.Has("--every"))
        {
            throw new ArgumentException("--every sets a rate, and --fan-out has none: take one of them.");
        }

        int payload = AtLeast("--payload", 100, BroadcastLoop.Digits);
        int every = AtLeast("--every", 100, 1);
        int seconds = AtLeast("--seconds", isFanOut ? 5 : 10, 1);
        Processors.Pin(Processors.Other);
        if (arguments.Has("--self-check"))
        {
            bool isRight = Make(0.5, 1).Run(engines, [20]);
            Console.WriteLine();
            return isRight & Make(0.5, null).Run(engines, [20]) ? 0 : 1;
        }

        int[] clients = arguments.Numbers("--clients", isFanOut ? [10, 100, 1000] : [100, 500, 1000, 2000, 4000]);
        return clients.Contains(0)
            ? throw new ArgumentException("--clients: a chat has at least one client.")
            : Make(seconds, isFanOut ? null : every).Run(engines, clients) ? 0 : 1;

        BroadcastMeasurement Make(double time, int? interval) => new() { Seconds = time, Every = interval, Payload = payload };

        int AtLeast(string name, int otherwise, int least) => arguments.Number(name, otherwise) is int number && number >= least
            ? number
            : throw new ArgumentException($"{name}: {number} is too small; {least} is the least.");
    }
}
