using CoAP.NET.Content;
using CoAP.NET.QBlock.Server;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>Concise problem details (RFC 9290) and lists of missing blocks (RFC 9177 section 5).</summary>
internal sealed class ProblemTarget : ContentTarget
{
    public override int Share => 800;

    public override IReadOnlyList<byte[]> Dictionary { get; } =
        [.. CborTarget.CborWords, [0x20], [0x21], [0x22], [0x23], [0x24], [0x25], [0x26], [0x27], [0x20, 0x61, 0x78],
            [0xd8, 0x26, 0x82, 0x62, 0x65, 0x6e, 0x61, 0x78], [0xd8, 0x26, 0x83], [0x00, 0xa1, 0x00, 0x00], [0x27, 0x82, 0x01, 0x0b]];

    protected override byte[]? Nesting { get; } = [0xa1, 0x00];

    public override ulong Run(byte[] input)
    {
        ulong signature = CheckMissing(input);
        BeginMeter(factor: 256, WithException);
        bool isRead = CoapProblem.TryParse(input, out CoapProblem? problem, out string? error);
        EndMeter(input.Length, "Reading problem details");
        // What an exception says of the details is read by the core itself.
        Check(problem is null || problem.ToString() == (ProblemDetailsText.Of(input) ?? ""), "line",
            $"{problem} is told as {ProblemDetailsText.Of(input)}.");
        if (problem is null)
        {
            Check(!isRead && error is { Length: > 0 }, "error", "No error is told.");
            return FuzzRandom.Mix(signature, (ulong)error!.Length);
        }

        if (IsBeyondTheGrammar(problem))
        {
            // Read, as what an error says is worth more to people than its form; never written, as the grammar of RFC 9290 section 2 has no
            // form for it.
            CheckRefused(problem);
            return FuzzRandom.Mix(signature, 1);
        }

        byte[] written = problem.ToBytes();
        Check(CoapProblem.TryParse(written, out CoapProblem? again, out error), "written",
            $"{Convert.ToHexStringLower(written)} was written and is none: {error}");
        Check(again!.ToBytes().AsSpan().SequenceEqual(written) && again.ToString() == problem.ToString(), "written",
            $"{problem} is read as {again}.");
        return FuzzRandom.Mix(signature,
            Small(problem.Entries.Count, 15) | (Small(problem.NamedEntries.Count, 15) << 4)
                | (Small(problem.UnprocessedOptions.Count, 15) << 8) | (problem.Title is null ? 0u : 1u << 16)
                | (problem.ResponseCode is null ? 0u : 1u << 17));
    }

    // Nothing at all, or an entry of somebody's own that is no map with at least a pair.
    private static bool IsBeyondTheGrammar(CoapProblem problem) =>
        (problem is
        {
            Title: null, Detail: null, Instance: null, ResponseCode: null, BaseUri: null, BaseLanguage: null,
            BaseIsRightToLeft: null, UnprocessedOptions.Count: 0, Entries.Count: 0, NamedEntries.Count: 0
        })
        || problem.Entries.Any(entry => entry.Key >= 0 && !IsMap(entry.Value.Span))
        || problem.NamedEntries.Any(entry => !IsMap(entry.Value.Span));

    private static bool IsMap(ReadOnlySpan<byte> item) =>
        item[0] >> 5 == 5 && item[0] != 0xa0 && !item.SequenceEqual((ReadOnlySpan<byte>)[0xbf, 0xff])
            && item[(item[0] & 31) is >= 24 and <= 27 ? 1..(1 + (1 << ((item[0] & 31) - 24))) : 0..1].ContainsAnyExcept((byte)0);

    private static void CheckRefused(CoapProblem problem)
    {
        try
        {
            problem.ToBytes();
        }
        catch (InvalidOperationException)
        {
            return;
        }

        throw new FuzzFailureException("refused", $"{problem} was written, though the grammar has no form for it.");
    }

    private static ulong CheckMissing(byte[] input)
    {
        BeginStatic(out long before);
        bool isRead = MissingBlockList.TryRead(input, 0xf_ffff, out List<int> numbers);
        long allocated = GC.GetAllocatedBytesForCurrentThread() - before;
        Check(allocated <= 4096 + (16 * input.Length), "memory", $"A list of missing blocks allocated {allocated} B for {input.Length} B.");
        if (!isRead)
        {
            return (ulong)numbers.Count & 3;
        }

        Check(numbers.TrueForAll(number => number is >= 0 and <= 0xf_ffff), "missing", "A number is out of its range.");
        Check(MissingBlockList.TryRead(MissingBlockList.Write(numbers), 0xf_ffff, out List<int> again)
            && again.SequenceEqual(numbers), "missing",
            "They are not read as they were written.");
        return 16 + (ulong)Math.Min(numbers.Count, 8);
    }

    private static void BeginStatic(out long before) => before = GC.GetAllocatedBytesForCurrentThread();
}
