using System.Threading.Tasks.Dataflow;
using CoAP.NET.Transports;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>Defects in blocks that a user could have put into the mesh, to see that the oracles find them.</summary>
internal static class PlantedBlocks
{
    public static void Insert(CoapPipelineOptions pipeline, string? plant)
    {
        switch (plant)
        {
            case "swallow":
                // Every so manieth datagram gets lost, whoever sent it.
                int count = 0;
                pipeline.Insert(CoapSeams.TransportToChannel,
                    () => new Block<CoapDatagram>(datagram => ++count % 50 == 49 ? Dropped(datagram) : datagram));
                break;
            case "leak":
                // The buffer of what goes out is kept.
                List<CoapDatagram> kept = [];
                pipeline.Insert(CoapSeams.SerializerToChannel, () => new Block<CoapDatagram>(datagram =>
                {
                    if (datagram.Span[1] == 0x45)
                    {
                        kept.Add(datagram);
                        datagram = datagram.Copy();
                    }

                    return datagram;
                }));
                break;
            case "wrong-token":
                // An answer has a token that belongs to somebody else.
                pipeline.Insert(CoapSeams.SerializerToChannel, () => new Block<CoapDatagram>(static datagram =>
                {
                    if (datagram.Length > 5 && datagram.Span[1] == 0x45 && (datagram.Span[0] & 15) == 1 && datagram.Span[4] == 2)
                    {
                        datagram.Buffer[4] ^= 0x55;
                    }

                    return datagram;
                }));
                break;
            case "stage-throws":
                pipeline.Insert(CoapSeams.MessagingToExchanges,
                    () => new Block<CoapInbound>(static item => item.Message?.Code == CoapCode.Fetch
                        ? throw new InvalidOperationException("planted")
                        : item));
                break;
            default:
                break;
        }

        static CoapDatagram? Dropped(CoapDatagram datagram)
        {
            datagram.Dispose();
            return null;
        }
    }

    /// <summary>Hands on what a function gives for each item; nothing for null.</summary>
    private sealed class Block<T>(Func<T, object?> pass) : IPropagatorBlock<T, T>, IDisposable
    {
        private readonly TaskCompletionSource _completion = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private ITargetBlock<T>? _target;

        public Task Completion => _completion.Task;

        public DataflowMessageStatus OfferMessage(DataflowMessageHeader messageHeader, T messageValue, ISourceBlock<T>? source,
            bool consumeToAccept) =>
                pass(messageValue) is T item
                    ? _target!.OfferMessage(messageHeader, item, this, consumeToAccept: false)
                    : DataflowMessageStatus.Accepted;

        public IDisposable LinkTo(ITargetBlock<T> target, DataflowLinkOptions linkOptions)
        {
            _target = target;
            return this;
        }

        public void Complete()
        {
            _completion.TrySetResult();
            _target?.Complete();
        }

        public void Fault(Exception exception) => _completion.TrySetException(exception);

        public T? ConsumeMessage(DataflowMessageHeader messageHeader, ITargetBlock<T> target, out bool messageConsumed)
        {
            messageConsumed = false;
            return default;
        }

        public bool ReserveMessage(DataflowMessageHeader messageHeader, ITargetBlock<T> target) => false;

        public void ReleaseReservation(DataflowMessageHeader messageHeader, ITargetBlock<T> target)
        {
        }

        public void Dispose()
        {
        }
    }
}
