using CoAP.NET.Channels;

namespace CoAP.NET.Observing;

// Observers that were heard once so far, from an address that may be forged. A registration is one datagram and is kept until a notification is not acknowledged, for ever where nothing
// changes; so, like the newcomers themselves, they replace one another. Who was replaced registers again when Max-Age is over, and is no newcomer then.
internal sealed partial class ObserverLayer
{
    private const int BytesOfNewcomer = 4096;
    private const int MinNewcomers = 16;

    // Those that came back meanwhile, or were removed, leave the queue when their turn comes.
    private readonly Queue<Observer> _newcomers = new();
    private readonly int _maxNewcomers;

    private bool IsNewcomer(CoapChannel channel, long now) => channel is { IsNewcomer: true, IsReliable: false } && !_shard.Guard.IsTrusted(channel, now);

    private void ReplaceNewcomers(Observer observer, long now)
    {
        if (!IsNewcomer(observer.Channel, now))
        {
            return;
        }

        _newcomers.Enqueue(observer);
        while (_newcomers.Count > _maxNewcomers)
        {
            Observer oldest = _newcomers.Dequeue();
            if (!oldest.IsRemoved && IsNewcomer(oldest.Channel, now))
            {
                _counters.Add(CoapCounter.ObserversLost);
                RemoveLocked(oldest, CoapObserverEnd.Replaced);
            }
        }
    }

    private void ForgetNewcomers()
    {
        if (_observers.Count == 0)
        {
            _newcomers.Clear();
        }
    }
}
