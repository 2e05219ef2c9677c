namespace CoAP.NET.Speed.SlowSenders;

/// <summary>What slow and stalled peers cost a server on coap+tcp, and everybody else on it: <c>slow-senders</c>.</summary>
internal static class SlowSendersProgram
{
    public const string Verb = "slow-senders";

    private const string Usage = """
        usage: CoAP.NET.Speed slow-senders [OPTION]...                      slow senders beside a normal load; exit code 1 when a message came wrong
               CoAP.NET.Speed slow-senders --stalled-observer [OPTION]...   one of many observers stops reading; exit code 1 when the others get less than 0.98 of before
               Linux, loopback, processors 0 (server) and 1 (everything else)
          --engines LIST     inline,async,blocking
          --seconds N        for each figure (5)
         slow senders:
          --senders LIST     how many send slowly at a time: 1,10,100,1000,10000
          --interval MS      between the bytes of each (250); the rest follows at once when the time is over
          --options N        options of each message (100)
          --payload LIST     bytes of payload, in turn: 100,1000,10000
          --load N           connections of the normal load (16)
         observers:
          --observers N      (1000)
          --rate N           changes a second (20)
        """;

    public static int Run(string[] args)
    {
        if (args is ["--help" or "-h", ..])
        {
            Console.WriteLine(Usage);
            return 0;
        }

        Arguments arguments = Arguments.Parse(
            args,
            ["--engines", "--seconds", "--senders", "--interval", "--options", "--payload", "--load", "--observers", "--rate"],
            ["--stalled-observer"]);
        Processors.Pin(Processors.Other);
        string[] engines = arguments.Texts("--engines", ["inline", "async", "blocking"]);
        int seconds = arguments.Number("--seconds", 5);
        bool isRight = arguments.Has("--stalled-observer")
            ? new StalledObserver(arguments.Number("--observers", 1000), arguments.Number("--rate", 20), seconds).Run(engines)
            : new SlowSenders
            {
                Seconds = seconds,
                Interval = TimeSpan.FromMilliseconds(arguments.Number("--interval", 250)),
                Options = arguments.Number("--options", 100),
                Payloads = arguments.Numbers("--payload", [100, 1000, 10_000]),
                Load = arguments.Number("--load", 16),
            }.Run(engines, arguments.Numbers("--senders", [1, 10, 100, 1000, 10_000]));
        return isRight ? 0 : 1;
    }
}
