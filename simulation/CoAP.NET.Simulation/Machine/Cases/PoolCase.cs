using CoAP.NET.Diagnostics;

namespace CoAP.NET.Simulation.Machine.Cases;

/// <summary>User code blocks every thread of the shared pool: what the library does on threads of its own goes on.</summary>
internal sealed class PoolCase(bool isPortable) : MachineCase(
    isPortable ? "pool-portable" : "pool",
    $"thread pool blocked by user code, {(isPortable ? "portable engines" : "Linux engines")}",
    $"a pool of at most {Threads} threads, {Blockers} work items block it; the server is asked by UDP and TCP, an observer does not "
        + "acknowledge, a client asks")
{
    private const int Blockers = 200;
    private const int Threads = 4;
    private const int Asked = 20;
    private static readonly TimeSpan s_limit = TimeSpan.FromSeconds(1);

    public override IReadOnlyDictionary<string, string?> Variables => new Dictionary<string, string?>
    {
        ["DOTNET_ThreadPool_ForceMaxWorkerThreads"] = Threads.ToString("x"),
        ["DOTNET_ThreadPool_ForceMinWorkerThreads"] = Threads.ToString("x"),
    };

    public override Task RunAsync(MachineFindings findings)
    {
        TaskCompletionSource done = new();
        new Thread(() =>
        {
            try
            {
                Run(findings);
            }
            // It is a finding.
            catch (Exception exception)
            {
                findings.Failures.Add(exception.ToString());
            }

            done.SetResult();
        })
        { IsBackground = true }.Start();
        return done.Task;
    }

    private void Run(MachineFindings findings)
    {
        using ManualResetEventSlim release = new();
        MachineServer server = MachineServer.Make(isPortable, "coap://127.0.0.1:0", "coap+tcp://127.0.0.1:0");
        server.StartAsync().GetAwaiter().GetResult();
        string uri = server.UriOf("coap");
        using RawPeer udp = RawPeer.Udp(server.EndPointOf("coap"));
        using RawPeer observer = RawPeer.Udp(server.EndPointOf("coap"));
        using RawPeer tcp = RawPeer.Tcp();
        tcp.Connect(server.EndPointOf("coap+tcp"));
        CoapClient client = new(MachineServer.Options(new LogCounts(), isPortable));
        client.GetAsync(uri + "/hi").GetAwaiter().GetResult();
        findings.Check(udp.Ask("hi", s_limit) && tcp.Ask("hi", s_limit), "served before");
        observer.Send("n", observes: true);
        observer.Receive(s_limit);
        int blocked = 0;
        for (int i = 0; i < Blockers; i++)
        {
#pragma warning disable RS0030 // the pool is what is to be blocked
            ThreadPool.UnsafeQueueUserWorkItem(
                _ =>
                {
                    Interlocked.Increment(ref blocked);
                    release.Wait();
                },
                null);
#pragma warning restore RS0030
        }

        SpinWait.SpinUntil(() => Volatile.Read(ref blocked) >= Threads, s_limit);
        findings.Check(Volatile.Read(ref blocked) >= Threads, $"{Volatile.Read(ref blocked)} pool threads are blocked");
        long worst = 0;
        int answered = Enumerable.Range(0, 50).Count(_ =>
        {
            Watch from = new();
            bool isAnswered = udp.Ask("hi", s_limit);
            worst = Math.Max(worst, from.Elapsed.Ticks);
            return isAnswered;
        });
        findings.Check(answered == 50,
            FormattableString.Invariant($"UDP answers {answered} of 50, the slowest in {new TimeSpan(worst).TotalMilliseconds:N1} ms"));
        bool isTcpServed = tcp.Ask("hi", s_limit);
        using RawPeer late = RawPeer.Tcp();
        late.Connect(server.EndPointOf("coap+tcp"));
        bool isLateServed = late.Ask("hi", s_limit);
        Report(findings, isTcpServed && isLateServed, "TCP answers, new connections too");
        server.Change();
        int copies = Enumerable.Range(0, 3).Count(_ => observer.Receive(s_limit) is not null);
        Report(findings, copies == 3, "notifications leave and are retransmitted");
        Task<CoapResponse>[] asked = [.. Enumerable.Range(0, Asked).Select(_ =>
        {
            Task<CoapResponse> request = client.GetAsync(uri + "/hi");
            request.Wait(s_limit / 4);
            return request;
        })];
        int completed = asked.Count(request => request.IsCompletedSuccessfully);

        // A completion that would hold up a loop goes to the pool (decision 0008), so on a machine that is busy some wait for it.
        findings.Saw($"{completed} of {Asked} requests of a client complete within a quarter of a second, the rest when the pool is free");
        if (!isPortable)
        {
            Task<CoapResponse> lost = client.GetAsync(Dead());
            try
            {
                findings.Check(!lost.Wait(TimeSpan.FromSeconds(5)), "a request that nobody answers fails by itself");
            }
            catch (AggregateException exception)
            {
                findings.Check(exception.InnerException is CoapException,
                    $"a request to a dead port fails by itself ({exception.InnerException?.GetType().Name})");
            }
        }

        long freed = Stopwatch();
        release.Set();
        findings.Check(tcp.Ask("hi", s_limit * 5) && Task.WaitAll(asked, s_limit * 5), "all is well when the pool is free");
        findings.RecoveryMs = TimeProvider.System.GetElapsedTime(freed).TotalMilliseconds;
        findings.Count(server.Counters, CoapCounter.Retransmissions, CoapCounter.HandOvers, CoapCounter.StageErrors);
        findings.Counted.AddRange(server.Log.Told);
    }

    // What the portable engines leave to the pool, they leave to it: that is documented, and told here.
    private void Report(MachineFindings findings, bool holds, string what)
    {
        if (isPortable)
        {
            findings.Saw($"{what}: {(holds ? "yes" : "**not before the pool is free**")}");
        }
        else
        {
            findings.Check(holds, what);
        }
    }

    private static long Stopwatch() => TimeProvider.System.GetTimestamp();

    private static string Dead()
    {
        using RawPeer peer = RawPeer.Udp(new IPEndPoint(IPAddress.Loopback, 9));
        return $"coap://{peer.Socket.LocalEndPoint}/hi";
    }
}
