namespace CoAP.NET.Cluster;

/// <summary>
/// The news for one observer of all devices. When the turn of a device comes, the observer gets its newest state, however often it changed
/// meanwhile. The queue therefore never exceeds the number of devices, and a device that notifies continuously gets no more turns than
/// others. Guarded by the gate of its <see cref="DeviceWatch"/>, unless noted otherwise.
/// </summary>
internal sealed class WatchReader
{
    private readonly Dictionary<string, Told> _devices = new(StringComparer.Ordinal);
    private readonly Queue<Told> _waiting = new();

    /// <summary>Wakes the reader. Needs no lock.</summary>
    public WakeSignal News { get; } = new();

    /// <summary>Marks a device as changed.</summary>
    /// <param name="one">The device.</param>
    /// <returns>Whether to wake the reader; it is awake if something waited already.</returns>
    public bool Mark(WatchedDevice one)
    {
        if (!_devices.TryGetValue(one.Device.Name, out Told? told))
        {
            _devices.Add(one.Device.Name, told = new Told());
        }

        if (told.Device != one)
        {
            // For a device that left, everything but this was already reported.
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

    /// <summary>Takes the news in their order.</summary>
    /// <param name="maxItems">The maximum number of items, except those of the last device.</param>
    /// <param name="maxBytes">The number of bytes from which on no further device is taken.</param>
    /// <param name="skipped">The number of states replaced by newer ones.</param>
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
