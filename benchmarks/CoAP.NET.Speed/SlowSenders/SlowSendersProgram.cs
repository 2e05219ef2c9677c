namespace CoAP.NET.Speed.SlowSenders;

/// <summary>What slow and stalled peers cost a server on coap+tcp, and everybody else on it: <c>slow-senders</c>.</summary>
internal static class SlowSendersProgram
{
    public const string Verb = "slow-senders";

    private const string Usage = """
        usage: CoAP.NET.Speed slow-senders [OPTION]...                      slow senders beside a normal load; exit code 1 when a message came wrong
               CoAP.NET.Speed slow-senders --message-time [OPTION]...       the time of a slow message, from its first byte to the answer; all at once
               CoAP.NET.Speed slow-senders --stalled-observer [OPTION]...   one of many observers stops reading; exit code 1 when the others get less than 0.98 of before
               CoAP.NET.Speed slow-senders --self-check                     tries all three, small and short
               Linux, loopback, processors 0 (server) and 1 (everything else)
          --engines LIST     inline,async,blocking
          --seconds N        for each figure (5); not for --message-time, whose message sets it
         slow senders and message time:
          --senders LIST     how many send slowly at a time: 1,10,100,1000,10000; not for --message-time
          --interval MS      between the bytes of each (250); the rest follows at once when the time is over, except with --message-time
          --options N        options of each message (100)
          --payload LIST     bytes of payload, in turn: 100,1000,10000; with --message-time and 250 ms about 103, 328 and 2578 s
          --load N           connections of the normal load (16); not for --message-time
         observers:
          --observers N      (1000)
          --rate N           changes a second (20)
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
            args,
            ["--engines", "--seconds", "--senders", "--interval", "--options", "--payload", "--load", "--observers", "--rate"],
            ["--stalled-observer", "--message-time", "--self-check"]);
        Processors.Pin(Processors.Other);
        string[] engines = arguments.Texts("--engines", s_engines);
        if (engines.Except(s_engines).FirstOrDefault() is { } unknown)
        {
            throw new ArgumentException($"'{unknown}' is not an engine: {string.Join(", ", s_engines)}.");
        }

        if (arguments.Has("--self-check"))
        {
            return Check(engines) ? 0 : 1;
        }

        int seconds = arguments.Number("--seconds", 5);
        TimeSpan interval = TimeSpan.FromMilliseconds(arguments.Number("--interval", 250));
        int options = arguments.Number("--options", 100);
        int[] payloads = arguments.Numbers("--payload", [100, 1000, 10_000]);
        bool isRight = (arguments.Has("--stalled-observer"), arguments.Has("--message-time")) switch
        {
            (true, true) => throw new ArgumentException("--stalled-observer and --message-time are different runs: take one of them."),
            (true, _) => new StalledObserver(arguments.Number("--observers", 1000), arguments.Number("--rate", 20), seconds).Run(engines),
            (_, true) => new MessageTime { Interval = interval, Options = options, Payloads = payloads }.Run(engines),
            _ => new SlowSenders
            {
                Seconds = seconds,
                Interval = interval,
                Options = options,
                Payloads = payloads,
                Load = arguments.Number("--load", 16),
            }.Run(engines, arguments.Numbers("--senders", [1, 10, 100, 1000, 10_000])),
        };
        return isRight ? 0 : 1;
    }

    // How many notifications come in a second depends on what else the machine does.
    private static bool Check(string[] engines)
    {
        TimeSpan interval = TimeSpan.FromMilliseconds(5);
        int[] payloads = [10, 100];
        bool isRight = new SlowSenders { Seconds = 1, Interval = interval, Options = 5, Payloads = payloads, Load = 4 }.Run(engines, [20]);
        Console.WriteLine();
        isRight &= new MessageTime { Interval = interval, Options = 5, Payloads = payloads }.Run(engines);
        Console.WriteLine();
        new StalledObserver(observers: 20, rate: 20, seconds: 1).Run(engines);
        return isRight;
    }
}
