namespace CoAP.NET.Simulation.Fuzz;

/// <summary>Changes a message in a sequence of them, or the sequence: who sends what when, and how often.</summary>
internal sealed class RecordMutator(WireShape shape)
{
    private readonly MessageMutator _messages = new(shape);
    private readonly ByteMutator _bytes = new([]);

    public void Mutate(FuzzBuffer buffer, FuzzRandom random, byte[] other)
    {
        List<Range> records = RecordInput.Split(buffer.Span);
        if (records.Count == 0)
        {
            buffer.Set(other);
            return;
        }

        Range record = random.Pick(records);
        (int at, int length) = record.GetOffsetAndLength(buffer.Length);
        if (length < RecordInput.HeadSize)
        {
            buffer.Delete(at, length);
            return;
        }

        switch (random.Below(12))
        {
            case 0:
                buffer[at] = random.NextByte();
                break;
            case 1:
                buffer[at + 1] = random.OneOf(2) ? (byte)random.Below(160) : (byte)(160 + random.Below(96));
                break;
            case 2:
                // Once more, perhaps from somebody else, later.
                byte[] copy = buffer.Span.Slice(at, length).ToArray();
                copy[0] = random.OneOf(2) ? random.NextByte() : copy[0];
                copy[1] = random.OneOf(3) ? (byte)(160 + random.Below(96)) : copy[1];
                buffer.Insert(random.OneOf(2) ? at + length : buffer.Length, copy);
                break;
            case 3 when records.Count > 1:
                buffer.Delete(at, length);
                break;
            case 4:
                // Records of another input behind, before or between.
                List<Range> others = RecordInput.Split(other);
                if (others.Count > 0)
                {
                    buffer.Insert(at, other.AsSpan()[random.Pick(others)]);
                }

                break;
            case 5 or 6:
                int before = buffer.Length;
                _bytes.Mutate(buffer, at + RecordInput.HeadSize, at + length, random, other);
                RecordInput.FixLength(buffer, at, length - RecordInput.HeadSize + buffer.Length - before);
                break;
            default:
                before = buffer.Length;
                _messages.Mutate(buffer, at + RecordInput.HeadSize, at + length, random);
                RecordInput.FixLength(buffer, at, length - RecordInput.HeadSize + buffer.Length - before);
                break;
        }
    }
}
