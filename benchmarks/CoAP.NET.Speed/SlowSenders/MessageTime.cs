using CoAP.NET.Speed.Engines;

namespace CoAP.NET.Speed.SlowSenders;

/// <summary>
/// The time of a message whose sender sends a byte now and then, with each engine: from its first byte to the answer. All engines and all
/// messages have their time at once, because it is the sender that takes it.
/// </summary>
internal sealed class MessageTime
{
    private const string Head =
        "| engine | payload, B | message, B | the sender alone, s | the message, s | its answer after the last byte, ms | published for "
            + "asynchronous and synchronous reading, s |";

    // P. Wille, Increasing throughput of server applications by using asynchronous techniques: a case study on CoAP.NET, 2022.
    private const int PublishedOptions = 100;
    private static readonly TimeSpan s_publishedInterval = TimeSpan.FromMilliseconds(250);
    private static readonly Dictionary<int, string> s_published = new()
    {
        [100] = "105.71, 105.61",
        [1_000] = "341.01, 341.00",
        [10_000] = "2,688.88, 2,688.95",
    };

    // Only a server that answers nothing at all takes so long after the last byte.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    /// <summary>The time between two bytes.</summary>
    public required TimeSpan Interval { get; init; }

    /// <summary>How many options a message has.</summary>
    public required int Options { get; init; }

    /// <summary>The bytes of payload of each message.</summary>
    public required int[] Payloads { get; init; }

    /// <summary>Measures and prints a table.</summary>
    /// <returns>Whether every message arrived as it was sent.</returns>
    public bool Run(string[] engines)
    {
        (byte[][] requests, byte[][] answers) = SlowMessages.Make(Options, Payloads);
        TimeSpan longest = requests.Max(SenderAlone);
        Console.Error.WriteLine($"about {longest.TotalSeconds:N0} s");
        Console.WriteLine($"A byte every {Interval.TotalMilliseconds:0} ms of a PUT with {Options} options.\n");
        Console.WriteLine(Head);
        Console.WriteLine(string.Concat(Head.Where(one => one == '|').Select((_, i) => i == 0 ? "|" : "---|")));
        List<IDisposable> owned = [];
        try
        {
            List<Task<SlowLoop>> all = [];
            foreach (string engine in engines)
            {
                ServerProcess server = ServerProcess.Start(engine, "--frame-timeout", "0");
                owned.Add(server);
                WarmUp(server, requests, answers);
                Lane lane = Processors.Lane(Processors.Other[0]);
                owned.Add(lane);
                SlowLoop loop = new(server.Endpoint, requests, answers, Interval);
                owned.Add(loop);
                loop.Open(requests.Length, 0);
                all.Add(lane.RunAsync(() =>
                {
                    for (Watch begin = new(); !loop.IsDone && begin.Elapsed < longest + s_patience;)
                    {
                        loop.Advance(waitMilliseconds: 1);
                    }

                    return loop;
                }));
            }

            SlowLoop[] loops = Task.WhenAll(all).GetAwaiter().GetResult();
            foreach ((string engine, SlowLoop loop) in engines.Zip(loops))
            {
                for (int i = 0; i < requests.Length; i++)
                {
                    Console.WriteLine(Line(engine, Payloads[i], requests[i], loop.TimesOf(i)));
                }
            }

            return loops.All(loop => loop.Right == requests.Length);
        }
        finally
        {
            owned.Reverse();
            owned.ForEach(one => one.Dispose());
        }
    }

    // The first messages of a process wait for the compiler.
    private void WarmUp(ServerProcess server, byte[][] requests, byte[][] answers)
    {
        const int Times = 20;
        using SlowLoop loop = new(server.Endpoint, requests, answers, Interval);
        loop.Open(requests.Length * Times, 1000);
        loop.Finish();
    }

    private TimeSpan SenderAlone(byte[] request) => Interval * (request.Length - 1);

    private string Line(string engine, int payload, byte[] request, (TimeSpan Whole, TimeSpan AfterLast)? times)
    {
        string published = Options == PublishedOptions && Interval == s_publishedInterval ? s_published.GetValueOrDefault(payload, "") : "";
        string measured = times is { } known
            ? $"{known.Whole.TotalSeconds:N2} | {known.AfterLast.TotalMilliseconds:0.00}"
            : "not answered | ";
        return $"| {engine} | {payload:N0} | {request.Length:N0} | {SenderAlone(request).TotalSeconds:N2} | {measured} | {published} |";
    }
}
