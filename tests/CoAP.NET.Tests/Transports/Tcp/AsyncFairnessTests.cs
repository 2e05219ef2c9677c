using System.Net;
using System.Net.Sockets;
using CoAP.NET.Testing;
using CoAP.NET.Transports;

#pragma warning disable RS0030 // it is about the pool

namespace CoAP.NET.Tests.Transports.Tcp;

// Whoever always has something to read must not keep a thread of the pool for itself.
public class AsyncFairnessTests
{
    private const int ReadsOfEach = 2000;

    [Fact]
    public async Task Connections_that_always_have_something_to_read_leave_the_threads_of_the_pool_to_others_now_and_then()
    {
        AsyncContext context = new() { Time = new VirtualClock(), OnReceive = static frame => frame.Dispose() };
        CoapTcpTransportOptions options = new() { Engine = CoapTcpEngine.Async };
        AsyncTcpEngine engine = new(new CoapTcpTransport(options), context, options);
        int count = ThreadPool.ThreadCount + 64;
        Counter reads = new();
        long before = 0, seen = 0;
        TaskCompletionSource had = new(TaskCreationOptions.RunContinuationsAsynchronously);
        TaskCompletionSource stop = new(TaskCreationOptions.RunContinuationsAsynchronously);
        List<AsyncConnection> connections = [];

        // On a thread that is not of the pool, so that everything goes into the one queue that all its threads share.
        await Task.Factory.StartNew(
            () =>
            {
                for (int i = 0; i < count; i++)
                {
                    Socket socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
                    socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
                    CoapAddress remote = CoapAddress.FromIPv4(0xc0000201, 1);
                    AsyncConnection connection = new(
                        engine.Host, new SocketLink(socket, new BusyStream(reads, stop.Task), remote, isInitiator: false), remote,
                        AsyncTcpEngine.LocalAddressOf(socket), isInitiator: false);
                    connections.Add(connection);
                }

                connections.ForEach(static connection => connection.Start());

                // Those that were started first may have had many turns by now: what counts is what they have once the other's work waits.
                before = reads.Value;
                ThreadPool.UnsafeQueueUserWorkItem(
                    _ =>
                    {
                        seen = reads.Value;
                        had.SetResult();
                    },
                    null);
            },
            CancellationToken.None,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);

        await had.Task.WaitAsync(TimeSpan.FromMinutes(2));
        stop.SetResult();
        connections.ForEach(static connection => connection.Close(null));
        Assert.InRange(seen - before, 0, (long)count * ReadsOfEach / 4);
    }

    private sealed class Counter
    {
        private long _value;

        public long Value => Volatile.Read(ref _value);

        public void Add() => Interlocked.Increment(ref _value);
    }

    /// <summary>Has a frame for each read, at once, for a long time.</summary>
    private sealed class BusyStream(Counter reads, Task stop) : Stream
    {
        private int _left = ReadsOfEach;

        public override bool CanRead => true;

        public override bool CanSeek => false;

        public override bool CanWrite => true;

        public override long Length => throw new NotSupportedException();

        public override long Position
        {
            get => throw new NotSupportedException();
            set => throw new NotSupportedException();
        }

        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default)
        {
            if (_left == 0)
            {
                return EndAsync();
            }

            if (buffer.IsEmpty)
            {
                return ValueTask.FromResult(0);
            }

            _left--;
            reads.Add();
            buffer.Span[..2].Clear();
            return ValueTask.FromResult(2);
        }

        public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

        public override void Write(byte[] buffer, int offset, int count)
        {
        }

        public override void Flush()
        {
        }

        public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

        public override void SetLength(long value) => throw new NotSupportedException();

        private async ValueTask<int> EndAsync()
        {
            await stop.ConfigureAwait(false);
            return 0;
        }
    }
}
