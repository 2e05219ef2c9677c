using CoAP.NET.Blockwise;

namespace CoAP.NET.QBlock.Client;

/// <summary>
/// A body on its way to a server by Q-Block1, as the client sees it (RFC 9177 sections 4.3 and 7.2): which blocks go out next.
/// </summary>
internal sealed class QBlock1SendState
{
    private readonly int _maxPayloads;
    private readonly int _maxRepeats;
    private readonly byte[] _repeats;

    /// <param name="length">The size of the body in bytes; above zero.</param>
    /// <param name="sizeExponent">The size exponent of the blocks, 0 to 6.</param>
    /// <param name="maxPayloads">MAX_PAYLOADS.</param>
    /// <param name="maxRepeats">How many times a block is sent again.</param>
    public QBlock1SendState(int length, int sizeExponent, int maxPayloads, int maxRepeats)
    {
        Length = length;
        SizeExponent = sizeExponent;
        Count = BlockPayloadSize.CountOf(length, sizeExponent);
        _maxPayloads = maxPayloads;
        _maxRepeats = maxRepeats;
        _repeats = new byte[Count];
    }

    public int Length { get; }

    public int SizeExponent { get; }

    public int Count { get; }

    /// <summary>How many blocks went out at least once.</summary>
    public int Sent { get; private set; }

    public bool IsAllSent => Sent == Count;

    /// <summary>Whether the server asks for the same block again and again.</summary>
    public bool IsExhausted { get; private set; }

    /// <summary>The next set, in ascending order.</summary>
    public int[] NextSet()
    {
        int end = Math.Min(((Sent / _maxPayloads) + 1) * _maxPayloads, Count);
        int[] numbers = [.. Enumerable.Range(Sent, end - Sent)];
        Sent = end;
        return numbers;
    }

    /// <summary>Whether a 2.31 confirms all that was sent, so that there is nothing to wait for.</summary>
    /// <param name="number">The number that it names; null for none.</param>
    public bool IsConfirmed(int? number) => number is null || number >= Sent - 1;

    /// <summary>Processes a list of missing blocks (RFC 9177 section 5).</summary>
    /// <returns>The blocks to send again, ascending and each once; empty for an unordered list, or if all of them will be sent
    /// anyway.</returns>
    public int[] Repeat(List<int> missing)
    {
        List<int> numbers = [];
        for (int i = 0; i < missing.Count; i++)
        {
            if (i > 0 && missing[i] < missing[i - 1])
            {
                return [];
            }

            if (missing[i] < Sent && (i == 0 || missing[i] > missing[i - 1]) && numbers.Count < _maxPayloads)
            {
                numbers.Add(missing[i]);
            }
        }

        foreach (int number in numbers)
        {
            IsExhausted |= _repeats[number]++ >= _maxRepeats;
        }

        return [.. numbers];
    }
}
