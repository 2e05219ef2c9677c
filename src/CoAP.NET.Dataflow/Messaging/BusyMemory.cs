namespace CoAP.NET.Messaging;

/// <summary>
/// Remembers the last requests that were answered 5.03 for lack of memory, so that a duplicate is not executed although its sender believes
/// it was refused. A fixed table: newer entries replace older ones.
/// </summary>
internal sealed class BusyMemory
{
    private const int Capacity = 1024;

    private Entry[]? _entries;

    public void Add(CoapChannel channel, ushort messageId, uint hash, long until)
    {
        _entries ??= new Entry[Capacity];
        _entries[IndexOf(channel, messageId)] = new Entry(channel, messageId, hash, until);
    }

    public bool Contains(CoapChannel channel, ushort messageId, uint hash, long now) =>
        _entries is not null
        && _entries[IndexOf(channel, messageId)] is var entry
        && entry.Channel == channel && entry.MessageId == messageId && entry.Hash == hash && now < entry.Until;

    private static int IndexOf(CoapChannel channel, ushort messageId) =>
        (int)(((uint)messageId + ((uint)channel.Remote.Low * 0x9e37_79b1u) + channel.Remote.Port) % Capacity);

    private readonly record struct Entry(CoapChannel? Channel, ushort MessageId, uint Hash, long Until);
}
