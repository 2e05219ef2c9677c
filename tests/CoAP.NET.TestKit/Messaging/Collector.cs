using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Tests.Messaging;

/// <summary>The end of a link: gives every item to an action, on the thread that offers.</summary>
internal sealed class Collector<T>(Func<T, bool> take) : ITargetBlock<T>
{
    public Task Completion => Task.CompletedTask;

    public DataflowMessageStatus OfferMessage(DataflowMessageHeader messageHeader, T messageValue, ISourceBlock<T>? source,
        bool consumeToAccept) =>
            take(messageValue) ? DataflowMessageStatus.Accepted : DataflowMessageStatus.Declined;

    public void Complete()
    {
    }

    public void Fault(Exception exception)
    {
    }
}
