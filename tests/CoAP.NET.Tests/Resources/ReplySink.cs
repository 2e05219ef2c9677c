using System.Collections.Concurrent;
using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Tests.Resources;

/// <summary>Takes replies on the thread that offers them and hands each to whoever waits for its exchange.</summary>
internal sealed class ReplySink : ITargetBlock<CoapServerReply>
{
    private readonly ConcurrentDictionary<CoapExchange, TaskCompletionSource<CoapResult>> _waiting = new();
    private int _count;

    public int Count => Volatile.Read(ref _count);

    /// <summary>Stands in for the work of later stages.</summary>
    public Action Work { get; set; } = static () => { };

    public Task Completion => Task.CompletedTask;

    public Task<CoapResult> For(CoapExchange exchange) => Source(exchange).Task;

    public DataflowMessageStatus OfferMessage(
        DataflowMessageHeader messageHeader, CoapServerReply messageValue, ISourceBlock<CoapServerReply>? source,
        bool consumeToAccept)
    {
        Interlocked.Increment(ref _count);
        Work();
        Source(messageValue.Exchange).SetResult(messageValue.Result);
        return DataflowMessageStatus.Accepted;
    }

    public void Complete()
    {
    }

    public void Fault(Exception exception)
    {
    }

    private TaskCompletionSource<CoapResult> Source(CoapExchange exchange) =>
        _waiting.GetOrAdd(exchange, _ => new TaskCompletionSource<CoapResult>(RunContinuationsAsynchronously));
}
