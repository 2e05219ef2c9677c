using System.Threading.Tasks.Dataflow;

namespace CoAP.NET.Execution;

/// <summary>Wraps a block of the application and marks its work as user code.</summary>
internal sealed class UserCodeTarget<T>(ITargetBlock<T> block) : ITargetBlock<T>
{
    public Task Completion => block.Completion;

    public DataflowMessageStatus OfferMessage(
        DataflowMessageHeader messageHeader, T messageValue, ISourceBlock<T>? source, bool consumeToAccept)
    {
        UserCodeScope.Enter();
        try
        {
            return block.OfferMessage(messageHeader, messageValue, source, consumeToAccept);
        }
        finally
        {
            UserCodeScope.Exit();
        }
    }

    public void Complete() => block.Complete();

    public void Fault(Exception exception) => block.Fault(exception);
}
