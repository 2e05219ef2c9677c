namespace CoAP.NET.Simulation.Fuzz;

/// <summary>
/// An input of several records, one after the other: two bytes that say who sends and when, two for the length, and the bytes. What is not
/// a whole record at the end is its last one.
/// </summary>
internal static class RecordInput
{
    public const int HeadSize = 4;

    private static readonly TimeSpan[] s_steps =
    [
        TimeSpan.Zero, TimeSpan.FromMilliseconds(1), TimeSpan.FromMilliseconds(120), TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(2.5),
        TimeSpan.FromSeconds(10), TimeSpan.FromSeconds(60), TimeSpan.FromSeconds(250),
    ];

    /// <summary>The time that passes before a record; short ones are the most.</summary>
    public static TimeSpan StepOf(byte head) => head < 160 ? TimeSpan.Zero : s_steps[head & 7];

    /// <summary>Where the records are, each with its head.</summary>
    public static List<Range> Split(ReadOnlySpan<byte> input)
    {
        List<Range> records = [];
        for (int at = 0; at < input.Length;)
        {
            int length = at + HeadSize <= input.Length ? HeadSize + input[at + 2] + (input[at + 3] << 8) : input.Length - at;
            int end = Math.Min(input.Length, at + length);
            records.Add(at..end);
            at = end;
        }

        return records;
    }

    /// <summary>Writes a record.</summary>
    public static byte[] Make(byte who, byte when, ReadOnlySpan<byte> bytes) =>
        [who, when, (byte)bytes.Length, (byte)(bytes.Length >> 8), .. bytes];

    /// <summary>Says anew how long a record is, after its bytes changed.</summary>
    public static void FixLength(FuzzBuffer buffer, int at, int length)
    {
        buffer[at + 2] = (byte)length;
        buffer[at + 3] = (byte)(length >> 8);
    }
}
