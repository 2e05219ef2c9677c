using System.Threading.Tasks.Dataflow;
using CoAP.NET.Exchanges;

namespace CoAP.NET.Simulation.Faults;

/// <summary>The defect of a block that takes an exchange now and then and passes it on to nobody.</summary>
internal sealed class LosingBlock : IPropagatorBlock<CoapExchange, CoapExchange>
{
    private const int OneOf = 20_000;

    private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private ITargetBlock<CoapExchange>? _target;
    private int _count;

    public Task Completion => _completion.Task;

    public DataflowMessageStatus OfferMessage(DataflowMessageHeader messageHeader, CoapExchange messageValue, ISourceBlock<CoapExchange>? source, bool consumeToAccept) =>
        Interlocked.Increment(ref _count) % OneOf == 0
            ? DataflowMessageStatus.Accepted
            : _target!.OfferMessage(messageHeader, messageValue, this, consumeToAccept: false);

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
