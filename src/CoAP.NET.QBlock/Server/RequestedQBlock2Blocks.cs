namespace CoAP.NET.QBlock.Server;

/// <summary>The blocks that the Q-Block2 options of a request ask for (RFC 9177 section 4.4).</summary>
internal sealed class RequestedQBlock2Blocks
{
    private readonly List<BlockValue> _blocks;

    private RequestedQBlock2Blocks(List<BlockValue> blocks) => _blocks = blocks;

    /// <summary>The size exponent, 0 to 6; the same in all of them.</summary>
    public int SizeExponent => _blocks[0].SizeExponent;

    /// <summary>Whether the whole body is asked for: block 0 with M set.</summary>
    public bool IsWhole => _blocks is [{ Number: 0, More: true }];

    /// <summary>The smallest number that is asked for.</summary>
    public int First => _blocks[0].Number;

    /// <summary>Whether it confirms the set of payloads before and asks for the next one.</summary>
    /// <param name="maxPayloads">MAX_PAYLOADS.</param>
    public bool IsContinue(int maxPayloads) => _blocks is [{ Number: > 0, More: true } only] && only.Number % maxPayloads == 0;

    /// <summary>Reads the options.</summary>
    /// <param name="options">The options of the request.</param>
    /// <param name="wrong">The answer to what breaks the rules; null when nothing does.</param>
    /// <returns>Null when there is no such option, or something is wrong.</returns>
    public static RequestedQBlock2Blocks? Read(CoapOptionCollection options, out CoapResult? wrong)
    {
        wrong = null;
        List<BlockValue>? blocks = null;
        for (int i = Math.Max(0, options.IndexOf(OptionNumber.QBlock2)); i < options.Count && options.NumberAt(i) <= OptionNumber.QBlock2;
            i++)
        {
            if (options.NumberAt(i) == OptionNumber.QBlock2 && BlockValue.TryParse(options.ValueAt(i), out BlockValue block))
            {
                (blocks ??= []).Add(block);
            }
        }

        if (blocks is null)
        {
            return null;
        }

        if (blocks.Count > 1 && (blocks[0] is { Number: 0, More: true } || options.Contains(OptionNumber.Observe)))
        {
            // Several are for missing blocks only; elsewhere a repeated option is an unknown one (RFC 9177 section 4.1).
            wrong = QBlockResponseFactory.BadOption("Option 31 (Q-Block2) may occur only once but where missing blocks are asked for.");
            return null;
        }

        for (int i = 0; i < blocks.Count; i++)
        {
            if (blocks[i].IsBert || blocks[i].SizeExponent != blocks[0].SizeExponent)
            {
                wrong = CoapResults.BadRequest("Q-Block2 options of a request have one size, of 16 to 1024 bytes.");
                return null;
            }

            if (i > 0 && blocks[i].Number <= blocks[i - 1].Number)
            {
                wrong = CoapResults.BadRequest("Missing blocks are asked for in ascending order, each once.");
                return null;
            }
        }

        return new RequestedQBlock2Blocks(blocks);
    }

    /// <summary>The numbers that are asked for, ascending and each once, whatever overlaps.</summary>
    /// <param name="count">How many blocks there are.</param>
    /// <param name="maxPayloads">MAX_PAYLOADS: M asks for the rest of the set, and no more are sent for one request.</param>
    public int[] Numbers(int count, int maxPayloads)
    {
        List<int> numbers = [];
        foreach (BlockValue block in _blocks)
        {
            int end = block.More ? ((block.Number / maxPayloads) + 1) * maxPayloads : block.Number + 1;
            for (int number = numbers is [.., int last] ? Math.Max(last + 1, block.Number) : block.Number;
                number < Math.Min(end, count) && numbers.Count < maxPayloads; number++)
            {
                numbers.Add(number);
            }
        }

        return [.. numbers];
    }
}
