namespace CoAP.NET.Simulation.Simulate;

/// <summary>A run as one number: two runs with the same number were the same, to the byte and to the tenth of a microsecond.</summary>
internal static class TraceHash
{
    public static ulong Of(IReadOnlyList<NetworkEvent> trace, IReadOnlyList<JournalEntry> journal)
    {
        // FNV-1a.
        ulong hash = 0xcbf2_9ce4_8422_2325;
        foreach (NetworkEvent happened in trace)
        {
            Add(ref hash, happened.Time.Ticks);
            Add(ref hash, (long)happened.Kind);
            if (happened.Packet is { } packet)
            {
                Add(ref hash, packet.Number);
                Add(ref hash, packet.From.Port);
                Add(ref hash, packet.To.Port);
                foreach (byte one in packet.Data.Span)
                {
                    hash = (hash ^ one) * 0x100_0000_01b3;
                }
            }
        }

        foreach (JournalEntry entry in journal)
        {
            Add(ref hash, entry.Time.Ticks);
            Add(ref hash, entry.Node);
            Add(ref hash, entry.Id);
            foreach (byte one in Encoding.UTF8.GetBytes($"{entry.What}{entry.Result}"))
            {
                hash = (hash ^ one) * 0x100_0000_01b3;
            }
        }

        return hash;
    }

    private static void Add(ref ulong hash, long value) => hash = (hash ^ (ulong)value) * 0x100_0000_01b3;
}
