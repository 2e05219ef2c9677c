namespace CoAP.NET.Footprint.Processes;

/// <summary>
/// What is measured from outside, as a process of its own: <c>host server</c>, or <c>host empty</c>, in which nothing of the library is
/// loaded. It does what lines on its standard input say, and ends with it, so that none is left behind.
/// </summary>
internal static class Host
{
    public const string Verb = "host";
    public const string Server = "server";
    public const string Empty = "empty";
    public const string Listening = "listening on ";
    public const string Figures = "figures";
    public const string Allocate = "allocate ";
    public const string Small = "small";

    public static async Task<int> RunAsync(string[] args)
    {
        if (args[1] == Empty)
        {
            Console.WriteLine(Listening);
            Obey();
            return 0;
        }

        return args[1] == SecureHost.Verb ? await SecureHost.RunAsync(args.Contains(SecureHost.SlowStore)) : await RunServerAsync(args);
    }

    // Apart: the empty host must not load the library.
    private static async Task<int> RunServerAsync(string[] args)
    {
        CoapEndpointOptions options = new();
        if (args.Contains(Small))
        {
            options.Limits.Deduplication.Memory = 8 << 20;
            options.Limits.Peers.NewcomerMemory = 1 << 20;
        }

        await using CoapServer server = new(options);
        server.MapGet("/hello", () => CoapResults.Text(Frames.Hello));
        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync();
        Console.WriteLine(Listening + server.LocalEndpoints[0]);
        Obey();
        return 0;
    }

    private static void Obey()
    {
        PauseWatch watch = PauseWatch.Start();
        while (Console.ReadLine() is { } line)
        {
            if (line == Figures)
            {
                Console.WriteLine(HostFigures.Now(watch));
            }
            else if (line.StartsWith(Allocate, StringComparison.Ordinal))
            {
                long rate = long.Parse(line[Allocate.Length..]);
                new Thread(() => AllocateForEver(rate)) { IsBackground = true }.Start();
            }
        }
    }

    /// <summary>Makes garbage at a steady rate, and keeps none of it.</summary>
    private static void AllocateForEver(long bytesPerSecond)
    {
        const int size = 128;
        const int overhead = 24;
        using ManualResetEventSlim never = new();
        Watch begin = new();
        long done = 0;
        while (!never.Wait(1))
        {
            long due = (long)(begin.Elapsed.TotalSeconds * bytesPerSecond);
            for (; done < due; done += size)
            {
                GC.KeepAlive(new byte[size - overhead]);
            }
        }
    }
}
