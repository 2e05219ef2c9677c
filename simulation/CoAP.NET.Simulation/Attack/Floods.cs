using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Simulation.Attack;

/// <summary>Attacks that need real sockets or real threads: slow and many TCP connections, and handlers that block.</summary>
internal static class Floods
{
    private const int MostAttempts = 100;

    private static readonly TimeSpan s_hang = TimeSpan.FromMinutes(2);
    private static readonly byte[] s_csm = CoapStreamSerializer.Default.Serialize(new CoapMessage(CoapCode.Csm));

    public static IEnumerable<AttackRow> Rows =>
    [
        new("slow-loris", "Slow-loris on TCP: no CSM, half frames byte by byte, a frame of 4 GiB, nothing read", "8323-5.3.1-2, 8323-5.6-1",
            SlowLorisAsync) { Plants = ["no-stream-limits"] },
        new("connection-flood", "TCP connection floods: one address, and all", "8323-5.3.1-2", ConnectionsAsync)
        {
            Plants = ["no-connection-bound"]
        },
        new("slow-handlers", "Blocking by slow handlers", "design 4", HandlersAsync),
    ];

    private static async Task SlowLorisAsync(AttackRun run)
    {
        int count = run.Size(1000, 24);
        await using CoapServer server = await StartAsync(options =>
        {
            if (!run.IsPlanted("no-stream-limits"))
            {
                options.Transports.Streams.CsmTimeout = TimeSpan.FromMilliseconds(run.Size(2000, 300));
                options.Transports.Streams.ReleaseTimeout = TimeSpan.FromMilliseconds(run.Size(1000, 100));
                options.Transports.Streams.FrameTimeout = TimeSpan.FromMilliseconds(run.Size(3000, 500));
            }
        });
        IPEndPoint at = At(server);
        await using CoapClient honest = new();
        string uri = $"coap+tcp://{at}/hello";
        CoapCounters counters = server.Endpoint.Counters;
        await ConnectAsync(honest, uri);
        await UntilAsync(() => counters[CoapCounter.ConnectionsClosed] == counters[CoapCounter.ConnectionsAccepted] - 1);
        long before = counters[CoapCounter.ConnectionsClosed];
        long idle = LiveHeap.Measure();
        Socket[] sockets = new Socket[count];
        for (int i = 0; i < count; i++)
        {
            sockets[i] = await ConnectAsync(at, 2);
            if (i % 4 != 0)
            {
                await SendAsync(sockets[i], s_csm);
            }
        }

        // A frame of some hundred bytes of which a byte comes now and then; a frame that claims 4 GiB; half of the connections that sent no
        // CSM send half of one.
        byte[] frame = [0xe0, 0x01, 0x4b, 0x02, .. new byte[600]];
        int asked = 0;
        int answered = 0;
        long most = 0;
        Watch begin = new();
        TimeSpan patience = TimeSpan.FromSeconds(run.IsPlanted("no-stream-limits") ? 3 : run.IsShort ? 120 : 20);
        for (int at1 = 0; Closed() < count && begin.Elapsed < patience; at1++)
        {
            for (int i = 0; i < count; i++)
            {
                byte[] bytes = (i % 4) switch
                {
                    0 => at1 == 0 && i % 8 == 0 ? [0x10] : [],
                    1 => at1 < frame.Length ? [frame[at1]] : [],
                    2 => at1 < 100 ? [0xf0] : [],
                    _ => at1 == 0 ? [0xf0, 0xff, 0xff, 0xff, 0xff, 0x02] : [],
                };
                if (bytes.Length > 0)
                {
                    await SendAsync(sockets[i], bytes);
                }
            }

            if (at1 % 10 == 0)
            {
                run.Report($"{Closed()} of {count} are closed "
                        + $"after {begin.Elapsed.TotalSeconds:0.0} s");
            }

            asked++;
            answered += (await honest.GetAsync(uri).WaitAsync(s_hang)).IsSuccess ? 1 : 0;
            most = Math.Max(most, GC.GetTotalMemory(false) - idle);
            await Task.Delay(TimeSpan.FromMilliseconds(run.Size(250, 40)), TimeProvider.System);
        }

        run.Done =
            $"{count:N0} connections: a quarter says nothing, a quarter sends a frame byte by byte, a quarter lengths byte by byte, a "
                + $"quarter claims 4 GiB";
        run.Exactly("connections closed for it", Closed(), count);
        run.Exactly("requests of an honest client beside that failed", asked - answered, 0);
        if (!run.IsShort)
        {
            run.AtMost("heap above idle for a connection", (double)most / count / 1024, 32, " KiB");
        }

        Array.ForEach(sockets, socket => socket.Dispose());

        long Closed() => counters[CoapCounter.ConnectionsClosed] - before;
    }

    private static async Task ConnectionsAsync(AttackRun run)
    {
        int count = run.Size(800, 60);
        int ofAddress = run.Size(200, 20);
        int inAll = run.Size(300, 30);
        await using CoapServer server = await StartAsync(options =>
        {
            options.Limits.Connections.MaxCountPerSource = run.IsPlanted("no-connection-bound") ? 100_000 : ofAddress;
            options.Limits.Connections.MaxCount = run.IsPlanted("no-connection-bound") ? 100_000 : inAll;

            // None makes room for another by leaving, however long they take to come.
            options.Transports.Streams.CsmTimeout = TimeSpan.FromMinutes(5);
        });
        IPEndPoint at = At(server);
        await using CoapClient honest = new();
        string uri = $"coap+tcp://{at}/hello";
        _ = await honest.GetAsync(uri);
        List<Socket> sockets = [];
        CoapCounters counters = server.Endpoint.Counters;
        for (int i = 0; i < count; i++)
        {
            sockets.Add(await ConnectAsync(at, 2));
        }

        await UntilAsync(() => counters[CoapCounter.ConnectionsAccepted] + counters[CoapCounter.ConnectionsRefused] == count + 1);
        long ofOne = counters[CoapCounter.ConnectionsAccepted] - counters[CoapCounter.ConnectionsEvicted] - 1;
        for (int i = 0; i < count; i++)
        {
            sockets.Add(await ConnectAsync(at, 3 + (i % 200)));
        }

        await UntilAsync(() => counters[CoapCounter.ConnectionsAccepted] + counters[CoapCounter.ConnectionsRefused] == (2 * count) + 1);
        bool isServed = (await honest.GetAsync(uri).WaitAsync(s_hang)).IsSuccess;
        long held = counters[CoapCounter.ConnectionsAccepted] - counters[CoapCounter.ConnectionsEvicted];

        // Whoever sent no CSM for a second makes room for a newcomer, wherever it comes from.
        await Task.Delay(TimeSpan.FromSeconds(1.2), TimeProvider.System);
        await using CoapClient newcomer = new();
        bool isNewcomerServed = (await newcomer.GetAsync(uri).WaitAsync(s_hang)).IsSuccess;
        run.Done = $"{count} connections from one address, {count} from 200 others";
        run.AtMost("held of one address", ofOne, ofAddress);
        run.AtMost("held in all", held, inAll);
        run.Exactly("connections neither accepted nor counted as refused",
            (2 * count) + 2 - counters[CoapCounter.ConnectionsAccepted] - counters[CoapCounter.ConnectionsRefused], 0);
        run.Holds("an established connection is served", isServed && counters[CoapCounter.ConnectionsLost] == 0);
        run.Holds("a newcomer is served beside them", isNewcomerServed);
        sockets.ForEach(socket => socket.Dispose());

        // The places come back.
        await UntilAsync(() => counters[CoapCounter.ConnectionsClosed] == counters[CoapCounter.ConnectionsAccepted] - 2);
        await using CoapClient later = new();
        run.Holds("and a new one when they are gone", (await later.GetAsync(uri).WaitAsync(s_hang)).IsSuccess);
    }

    private static async Task HandlersAsync(AttackRun run)
    {
        int slow = run.Size(200, 8);
        int fast = run.Size(5000, 50);
        using ManualResetEventSlim gate = new();
        int blocked = 0;
        await using CoapServer server = new();
        server.MapGet("/slow", () =>
        {
            Interlocked.Increment(ref blocked);
            gate.Wait();
            return CoapResults.Text("slow");
        });
        server.MapGet("/fast", () => "fast");
        server.Listen("coap://127.0.0.1:0");
        await server.StartAsync();
        string at = server.Endpoint.LocalEndpoints[0].Origin();
        await using CoapClient attacker = new(new CoapEndpointOptions { Parameters = new CoapTransmissionParameters { NStart = slow } });
        await using CoapClient honest = new();
        _ = await honest.GetAsync(at + "/fast");
        Task<CoapResponse>[] blocking = [.. Enumerable.Range(0, slow).Select(_ => attacker.GetAsync(at + "/slow"))];

        // On a busy machine the other peer could be served before the first handler has begun.
        await UntilAsync(() => Volatile.Read(ref blocked) > 0);
        LatencyHistogram latencies = new();
        int failed = 0;
        for (int i = 0; i < fast; i++)
        {
            Watch begin = new();
            failed += (await honest.GetAsync(at + "/fast").WaitAsync(s_hang)).IsSuccess ? 0 : 1;
            latencies.Add((long)begin.Elapsed.TotalNanoseconds);
        }

        int held = Volatile.Read(ref blocked);
        gate.Set();
        await Task.WhenAll(blocking).WaitAsync(s_hang);
        run.Done =
            $"{slow} requests of one peer to a handler that blocks its thread, {fast:N0} of another peer to one that does not, meanwhile";
        run.AtLeast("handlers that blocked meanwhile", held, 1);
        run.Exactly("requests of the other peer that failed", failed, 0);
        run.Exactly("requests of the first that failed in the end", blocking.Count(task => !task.Result.IsSuccess), 0);
        double p99 = latencies.Microseconds(0.99) / 1000;
        if (run.IsShort)
        {
            run.Mention($"p99 of the other {p99:0.0} ms");
        }
        else
        {
            run.AtMost("p99 of the other", p99, 100, " ms");
        }
    }

    private static async Task<CoapServer> StartAsync(Action<CoapEndpointOptions> configure)
    {
        CoapEndpointOptions options = new();
        configure(options);
        CoapServer server = new(options);
        server.MapGet("/hello", () => "hello");
        server.Listen("coap+tcp://127.0.0.1:0");
        await server.StartAsync();
        return server;
    }

    private static IPEndPoint At(CoapServer server)
    {
        CoapUri uri = server.Endpoint.LocalEndpoints[0];
        return new IPEndPoint(uri.HostAddress!, uri.Port);
    }

    // On a busy machine, the server may not hear in time who has just come; then it comes again.
    private static async Task ConnectAsync(CoapClient honest, string uri)
    {
        for (int attempt = 1; ; attempt++)
        {
            try
            {
                _ = await honest.GetAsync(uri).WaitAsync(s_hang);
                return;
            }
            catch (CoapConnectionException) when (attempt < MostAttempts)
            {
                // It was closed for its silence.
            }
        }
    }

    private static async Task SendAsync(Socket socket, byte[] bytes)
    {
        try
        {
            await socket.SendAsync(bytes);
        }
        catch (SocketException)
        {
            // Closed by the server, as it has to be.
        }
    }

    // All of 127.0.0.0/8 is this machine.
    private static async Task<Socket> ConnectAsync(IPEndPoint to, int from)
    {
        Socket socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        socket.Bind(new IPEndPoint(new IPAddress([127, 0, 0, (byte)from]), 0));
        await socket.ConnectAsync(to).WaitAsync(s_hang);
        return socket;
    }

    private static async Task UntilAsync(Func<bool> condition)
    {
        using CancellationTokenSource hang = new(s_hang);
        while (!condition() && !hang.IsCancellationRequested)
        {
            await Task.Delay(TimeSpan.FromMilliseconds(5), TimeProvider.System);
        }
    }
}
