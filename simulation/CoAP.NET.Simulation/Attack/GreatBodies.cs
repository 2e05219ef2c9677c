using System.IO.Pipelines;
using CoAP.NET.Proxy;
using CoAP.NET.Tests.Shared;

namespace CoAP.NET.Simulation.Attack;

/// <summary>Bodies as large as blocks can number them, through a proxy with connections on both sides.</summary>
internal static class GreatBodies
{
    private const string Scheme = "coap+tcp";
    private const string Front = $"{Scheme}://[2001:db8::1]";
    private const string Resource = $"{Scheme}://[2001:db8:1::1]/great";

    // A message of 1 MiB (MaxStreamMessageSize of the client), in its frame and on its way to it (RFC 8323 section 6), and the window.
    private const int MaxHeld = (2 << 20) + (128 << 10);

    // Bytes of connections in memory take no virtual time, so a reader that never waited would have all of a body pass at one instant: for
    // longer than a clock waits for threads that run before it goes on, to the time-outs of those who are in the middle of it.
    private const int EachInstant = 1 << 20;

    private static readonly TimeSpan s_hop = TimeSpan.FromMilliseconds(5);
    private static readonly TimeSpan s_pause = TimeSpan.FromMilliseconds(1);
    private static readonly TimeSpan s_patience = TimeSpan.FromHours(10);

    public static IEnumerable<AttackRow> Rows =>
    [
        new("proxy-gigabyte", "Bodies of a gigabyte through a proxy, over connections on both sides", "7959-C-1, 8323-6-1", RunAsync)
            { Plants = ["no-streams"] },
    ];

    private static async Task RunAsync(AttackRun run)
    {
        int length = run.Size(1 << 30, 8 << 20);
        bool isPlanted = run.IsPlanted("no-streams");
        ProxyWorld world = new(
            options =>
            {
                if (isPlanted)
                {
                    options.Limits.StreamsAbove = options.Limits.MaxBodySize = 1 << 30;
                }
            },
            new InMemoryNetworkOptions { MaxTraceLength = 0 });
        await using (world)
        {
            Count taken = new();
            world.Origin.MapGet("/great", () => CoapResults.Stream(new PatternBody(length), CoapETag.FromVersion(7)));
            world.Origin.MapPut("/great", async (request, cancellationToken) =>
            {
                await TakeAsync(request.BodyReader, taken, world.Clock, cancellationToken);
                return CoapResults.Changed();
            }).WithStreamedBody(1 << 30, CoapMethod.Put);
            world.Answer(_ => CoapResults.Text("here"));
            world.Network.Conditions = NetworkConditions.Delayed(s_hop);
            CoapClient client = await StartAsync(world);
            long idle = LiveHeap.Measure();
            long most = 0;
            int held = 0;
            void Look()
            {
                held = (int)Math.Max(held, world.ProxyServer.BodyBytes);
                most = run.IsShort ? 0 : Math.Max(most, LiveHeap.Measure() - idle);
            }

            int honestCount = run.Size(40, 2);
            (double withoutIt, int failedBefore) = await Proxies.MeasureAsync(world, "before", honestCount);
            Count given = new() { Each = length / 8, Reached = Look };
            CoapResponseBodyStream download = await world.RunAsync(() => client.OpenReadAsync(Ask(CoapMethod.Get)), s_patience);
            Task passing = world.RunAsync(
                () => TakeAsync(PipeReader.Create(download), given, world.Clock, CancellationToken.None), s_patience);
            (double beside, int failed) = await Proxies.MeasureAsync(world, "beside", honestCount);
            await passing;
            await world.EndAsync(download);
            (taken.Each, taken.Reached) = (length / 8, Look);
            CoapRequest upload = Ask(CoapMethod.Put);
            upload.Content = CoapContent.Stream(new PatternBody(length) { IsSeekable = false });
            CoapResponse answer = await world.RunAsync(() => client.SendAsync(upload), s_patience);
            CoapProxyCounters counters = world.Proxy.GetCounters();

            run.Done =
                $"a GET and a PUT of {length:N0} bytes, over {Scheme} to the proxy and to the server; beside the first {honestCount} "
                + $"requests of another client to the server, 5 ms for each way";
            run.Exactly("bytes of the answer that came as they were", given.Right, length);
            run.Exactly("bytes of the request that came as they were", taken.Right, length);
            run.Holds("the upload is answered with success", answer.IsSuccess);
            run.Exactly("bodies that passed as streams", counters.Streamed + counters.StreamedUploads, 2);
            run.AtMost("bytes of the answer that the proxy held at a time", held, MaxHeld);
            if (!run.IsShort)
            {
                run.AtMost("heap above idle, at most", most / LiveHeap.MiB, 16, " MiB");
            }

            run.Exactly("requests of others that failed meanwhile", failedBefore + failed, 0);
            run.AtMost(
                $"p99 of others (virtual time; {withoutIt:0.#} ms without the attack)",
                beside,
                withoutIt + 5,
                " ms");
            run.Exactly("requests under way afterwards", counters.InProgress, 0);
        }
    }

    private static async Task<CoapClient> StartAsync(ProxyWorld world)
    {
        world.ProxyServer.MapForwardProxy(world.Proxy);
        world.Origin.Endpoint.AddTransport(world.Network.CreateTransport(Scheme, InMemoryNetwork.Address("[2001:db8:1::1]:5683")));
        world.ProxyServer.Endpoint.AddTransport(world.Network.CreateTransport(Scheme, InMemoryNetwork.Address("[2001:db8::1]:5683")));
        world.Proxy.Client.Endpoint.AddTransport(world.Network.CreateTransport(Scheme, InMemoryNetwork.Address("[2001:db8::1]:40000")));
        CoapClient client = world.MakeClient("[2001:db8:78::1]");
        client.Endpoint.AddTransport(world.Network.CreateTransport(Scheme, InMemoryNetwork.Address("[2001:db8:78::1]:40000")));
        await world.StartAsync();
        await world.VerifyAsync();
        return client;
    }

    private static CoapRequest Ask(CoapMethod method)
    {
        CoapRequest request = new(method, Front);
        request.Options.Add(new ProxyUriOption(Resource));
        return request;
    }

    private static async Task<bool> TakeAsync(PipeReader reader, Count count, TimeProvider clock, CancellationToken cancellationToken)
    {
        int now = 0;
        while (true)
        {
            ReadResult result = await reader.ReadAsync(cancellationToken);
            foreach (ReadOnlyMemory<byte> segment in result.Buffer)
            {
                count.Take(segment.Span);
                now += segment.Length;
            }

            reader.AdvanceTo(result.Buffer.End);
            if (result.IsCompleted)
            {
                return true;
            }

            if (now >= EachInstant)
            {
                now = 0;
                await Task.Delay(s_pause, clock, cancellationToken);
            }
        }
    }

    /// <summary>How many bytes came, and were what they should be.</summary>
    private sealed class Count
    {
        private long _came;
        private long _next;

        public long Right { get; private set; }

        /// <summary>After how many bytes <see cref="Reached"/> is called.</summary>
        public int Each { get; set; } = int.MaxValue;

        public Action? Reached { get; set; }

        public void Take(ReadOnlySpan<byte> bytes)
        {
            Right += Pattern.CountRight(bytes, _came);
            _came += bytes.Length;
            if (_came >= _next)
            {
                _next = _came + Each;
                Reached?.Invoke();
            }
        }
    }

    /// <summary>What is in the bodies: no power of two repeats it, so that a block in the wrong place is seen.</summary>
    private static class Pattern
    {
        private const int Period = 251;

        private static readonly byte[] s_bytes = [.. Enumerable.Range(0, 64 * 1024).Select(i => (byte)(i % Period))];

        public static void Fill(Span<byte> bytes, long position)
        {
            while (bytes.Length > 0)
            {
                ReadOnlySpan<byte> right = From(position, bytes.Length);
                right.CopyTo(bytes);
                bytes = bytes[right.Length..];
                position += right.Length;
            }
        }

        public static long CountRight(ReadOnlySpan<byte> bytes, long position)
        {
            long count = 0;
            while (bytes.Length > 0)
            {
                ReadOnlySpan<byte> right = From(position, bytes.Length);
                count += bytes[..right.Length].SequenceEqual(right) ? right.Length : 0;
                bytes = bytes[right.Length..];
                position += right.Length;
            }

            return count;
        }

        private static ReadOnlySpan<byte> From(long position, int length)
        {
            int at = (int)(position % Period);
            return s_bytes.AsSpan(at, Math.Min(length, s_bytes.Length - at));
        }
    }

    /// <summary>A body that is never in memory.</summary>
    private sealed class PatternBody(long length) : Stream
    {
        public bool IsSeekable { get; init; } = true;

        public override bool CanRead => true;

        public override bool CanSeek => IsSeekable;

        public override bool CanWrite => false;

        public override long Length => length;

        public override long Position { get; set; }

        public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

        public override int Read(Span<byte> buffer)
        {
            int read = (int)Math.Min(buffer.Length, length - Position);
            Pattern.Fill(buffer[..read], Position);
            Position += read;
            return read;
        }

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
            ValueTask.FromResult(Read(buffer.Span));

        public override long Seek(long offset, SeekOrigin origin) => Position = origin switch
        {
            SeekOrigin.Begin => offset,
            SeekOrigin.Current => Position + offset,
            _ => length + offset,
        };

        public override void Flush()
        {
        }

        public override void SetLength(long value) => throw new NotSupportedException();

        public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
    }
}
