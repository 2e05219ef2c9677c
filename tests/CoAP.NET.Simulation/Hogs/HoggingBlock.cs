using System.Threading.Tasks.Dataflow;
using CoAP.NET.Exchanges;

namespace CoAP.NET.Simulation.Hogs;

/// <summary>The defect of a block that does, on the thread that receives, what belongs into a handler.</summary>
internal sealed class HoggingBlock : IPropagatorBlock<CoapExchange, CoapExchange>
{
    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private ITargetBlock<CoapExchange>? _target;

    public Task Completion => _completion.Task;

    public DataflowMessageStatus OfferMessage(DataflowMessageHeader messageHeader, CoapExchange messageValue, ISourceBlock<CoapExchange>? source, bool consumeToAccept)
    {
        if (messageValue.Request.Path == HogCase.Path)
        {
            HogWork.Burn(TimeSpan.FromMilliseconds(35));
        }

        return _target!.OfferMessage(messageHeader, messageValue, this, consumeToAccept: false);
    }

    public IDisposable LinkTo(ITargetBlock<CoapExchange> target, DataflowLinkOptions linkOptions)
    {
        _target = target;
        return new CancellationTokenSource();
    }

    public void Complete()
    {
        _completion.TrySetResult();
        _target?.Complete();
    }

    public void Fault(Exception exception) => _completion.TrySetException(exception);

    public CoapExchange? ConsumeMessage(DataflowMessageHeader messageHeader, ITargetBlock<CoapExchange> target, out bool messageConsumed)
    {
        messageConsumed = false;
        return null;
    }

    public bool ReserveMessage(DataflowMessageHeader messageHeader, ITargetBlock<CoapExchange> target) => false;

    public void ReleaseReservation(DataflowMessageHeader messageHeader, ITargetBlock<CoapExchange> target)
    {
    }
}
