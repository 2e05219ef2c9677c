using System.Collections.Concurrent;
using System.Net.Sockets;
using CoAP.NET.Diagnostics;
using CoAP.NET.Tests.Transports.Tcp.Linux;
using CoAP.NET.Transports.Streams;

namespace CoAP.NET.Tests.Transports.Streams;

/// <summary>What a failure to accept a connection means for the next one.</summary>
public sealed class AcceptLoopTests
{
    private static readonly TimeSpan s_hang = FromMinutes(2);

    [Fact]
    public async Task A_connection_aborted_before_accept_is_not_counted_as_a_failure()
    {
        using CancellationTokenSource stopping = new();
        LoopTestContext context = new();
        Accepting loop = new(context, stopping.Token);

        Task running = loop.RunAsync();
        await loop.Third.Task.WaitAsync(s_hang);
        await stopping.CancelAsync();
        await running.WaitAsync(s_hang);

        Assert.Empty(loop.Reported);
        Assert.Equal(0, context.Counters[CoapCounter.AcceptFailures]);
    }

    private sealed class Accepting(ICoapTransportContext context, CancellationToken stopping) : AcceptLoop(context, stopping)
    {
        private int _count;

        public ConcurrentQueue<Exception> Reported { get; } = [];

        public TaskCompletionSource Third { get; } = new(RunContinuationsAsynchronously);

        protected override async ValueTask AcceptAsync(CancellationToken cancellationToken)
        {
            if (++_count < 3)
            {
                throw new SocketException((int)SocketError.ConnectionAborted);
            }

            Third.TrySetResult();
            await Task.Delay(Timeout.InfiniteTimeSpan, TimeProvider.System, cancellationToken);
        }

        protected override bool IsOfPeer(Exception exception) => exception is SocketException;

        protected override void Report(Exception exception) => Reported.Enqueue(exception);
    }
}
