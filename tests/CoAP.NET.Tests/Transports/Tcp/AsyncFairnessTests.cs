using System.Net;
using System.Net.Sockets;
using CoAP.NET.Testing;
using CoAP.NET.Transports.Streams;
using CoAP.NET.Transports.Tcp;

#pragma warning disable RS0030 // it is about the pool

namespace CoAP.NET.Tests.Transports.Tcp;

// Whoever always has something to read must not keep a thread of the pool for itself.
public class AsyncFairnessTests
{
    private const int ReadsOfEach = 2000;

    [Fact]
    public async Task Busy_connections_yield_the_pool_threads_to_other_connections()
    {
        AsyncContext context = new() { Time = new VirtualClock(), OnReceive = static frame => frame.Dispose() };
        CoapTcpTransportOptions options = new() { Engine = CoapSocketEngine.Portable };
        AsyncTcpEngine engine = new(new CoapTcpTransport(options), context, options);
        int count = ThreadPool.ThreadCount + 64;
        Turns turns = new(count);
        TaskCompletionSource had = new(RunContinuationsAsynchronously);
        TaskCompletionSource stop = new(RunContinuationsAsynchronously);
        List<AsyncIOConnection> connections = [];

        // On a thread that is not of the pool, so that everything goes into the one queue that all its threads share.
        await Task.Factory.StartNew(
            () =>
            {
                for (int i = 0; i < count; i++)
                {
                    CoapAddress remote = CoapAddress.FromIPv4(0xc0000201, 1);
                    AsyncIOConnection connection = new(
                        engine.Host, new SocketByteTransport(new BusyStream(turns, stop.Task, remote), remote, isInitiator: false), remote,
                        remote,
                        isInitiator: false);
                    connections.Add(connection);
                }

                connections.ForEach(static connection => connection.Start());

                ThreadPool.UnsafeQueueUserWorkItem(static had => had.SetResult(), had, preferLocal: false);
            },
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);

        try
        {
            await had.Task.WaitAsync(FromMinutes(2));
            await turns.IsOver.WaitAsync(FromMinutes(2));
        }
        finally
        {
            stop.SetResult();
            connections.ForEach(static connection => connection.Close(null));
        }

        Assert.InRange(turns.Longest, 1, ReadsOfEach / 4);
    }

    /// <summary>How many reads of one stream a thread makes before it comes to another one, while all streams have something.</summary>
    /// <param name="count">How many streams there are. Nothing counts before a thread has come to each of them: until then one thread may
    /// be the only one that has anything to read, and one stream all that there is.</param>
    private sealed class Turns(int count)
    {
        [ThreadStatic]
        private static BusyStream? t_last;

        [ThreadStatic]
        private static int t_reads;

        private readonly TaskCompletionSource _isOver = new(RunContinuationsAsynchronously);
        private int _waiting = count;
        private int _longest;

        public Task IsOver => _isOver.Task;

        public bool HaveAllBegun => Volatile.Read(ref _waiting) == 0;

        public int Longest => Volatile.Read(ref _longest);

        public void Begin() => Interlocked.Decrement(ref _waiting);

        public void Add(BusyStream stream, bool isLast)
        {
            if (IsOver.IsCompleted)
            {
                return;
            }

            t_reads = t_last == stream ? t_reads + 1 : 1;
            t_last = stream;
            for (int longest = Longest; t_reads > longest; longest = Longest)
            {
                Interlocked.CompareExchange(ref _longest, t_reads, longest);
            }

            if (isLast)
            {
                _isOver.TrySetResult();
            }
        }
    }

    /// <summary>Has a frame for each read, at once, for a long time after all others have begun.</summary>
    private sealed class BusyStream(Turns turns, Task stop, CoapAddress local) : ConnectedTcpSocket
    {
        private int _left = ReadsOfEach;
        private bool _hasBegun;

        public override CoapAddress LocalAddress => local;

        public override ValueTask<int> WaitAsync(CancellationToken cancellationToken) => ReadAsync(Memory<byte>.Empty, cancellationToken);

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken)
        {
            if (_left == 0 || stop.IsCompleted)
            {
                return EndAsync();
            }

            if (buffer.IsEmpty)
            {
                return ValueTask.FromResult(0);
            }

            if (!_hasBegun)
            {
                _hasBegun = true;
                turns.Begin();
            }

            if (turns.HaveAllBegun)
            {
                _left--;
                turns.Add(this, isLast: _left == 0);
            }

            buffer.Span[..2].Clear();
            return ValueTask.FromResult(2);
        }

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken) => default;

        public override void EndOutput()
        {
        }

        public override void Close()
        {
        }

        private async ValueTask<int> EndAsync()
        {
            await stop.ConfigureAwait(false);
            return 0;
        }
    }
}
