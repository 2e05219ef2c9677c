namespace CoAP.NET.Cluster;

/// <summary>
/// What somebody who observes all devices was told, and what is new to him. He is told of a device when its turn comes, and then its newest
/// state, however often that changed meanwhile; so what waits is never more than there are devices, and one that notifies without end has
/// no more turns than any other. Guarded by the gate of its <see cref="DeviceWatch"/>, unless said otherwise.
/// </summary>
internal sealed class WatchReader
{
    private readonly Dictionary<string, Told> _devices = new(StringComparer.Ordinal);
    private readonly Queue<Told> _waiting = new();

    /// <summary>Wakes the reader. Needs no lock.</summary>
    public WakeSignal News { get; } = new();

    /// <summary>Something of a device is new.</summary>
    /// <param name="one">The device.</param>
    /// <returns>Whether the reader is to be woken; he is awake where something waited already.</returns>
    public bool Mark(WatchedDevice one)
    {
        if (!_devices.TryGetValue(one.Device.Name, out Told? told))
        {
            _devices.Add(one.Device.Name, told = new Told());
        }

        if (told.Device != one)
        {
            // Of one that is gone he was told all but this.
            (told.Device, told.Seen, told.IsLate) = (one, one.IsGone ? one.Version - 1 : 0, one.IsGone);
        }

        if (told.IsWaiting)
        {
            return false;
        }

        told.IsWaiting = true;
        _waiting.Enqueue(told);
        return _waiting.Count == 1;
    }

    /// <summary>Takes what is new, in the order in which it became so.</summary>
    /// <param name="maxItems">How many items at most, but for those of the last device.</param>
    /// <param name="maxBytes">From how many bytes on no further device is taken.</param>
    /// <param name="skipped">How many states were not told, as newer ones came.</param>
    public List<WatchItem> Take(int maxItems, int maxBytes, out long skipped)
    {
        List<WatchItem> items = [];
        int bytes = 0;
        skipped = 0;
        while (items.Count < maxItems && bytes < maxBytes && _waiting.TryDequeue(out Told? told))
        {
            told.IsWaiting = false;
            WatchedDevice one = told.Device!;
            bool isNew = one.Version != told.Seen;
            if (!told.IsTold && !told.IsLate && (isNew || !one.IsGone))
            {
                told.IsTold = true;
                items.Add(new WatchItem(CoapDeviceNotificationKind.Came, one.Device.Name));
            }

            if (isNew)
            {
                skipped += one.Version - told.Seen - 1;
                told.Seen = one.Version;
                items.Add(new WatchItem(one.Refusal is null ? CoapDeviceNotificationKind.Notified : CoapDeviceNotificationKind.Refused,
                    one.Device.Name, one.Latest, one.Refusal));
                bytes += one.Latest?.Payload.Length ?? 0;
            }

            bytes += WatchWire.HeaderLength + one.Device.Key.Length;
            if (one.IsGone)
            {
                _devices.Remove(one.Device.Name);
                if (told.IsTold)
                {
                    items.Add(new WatchItem(CoapDeviceNotificationKind.Went, one.Device.Name, HasMoved: one.HasMoved));
                }
            }
        }

        return items;
    }

    private sealed class Told
    {
        public WatchedDevice? Device;
        public long Seen;
        public bool IsTold;
        public bool IsWaiting;
        public bool IsLate;
    }
}
