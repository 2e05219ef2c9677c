namespace CoAP.NET.Simulation.Simulate;

/// <summary>
/// What requests ask for and what the answers to them are, in a form in which each end can tell whether it got what was meant for it.
/// </summary>
internal static class Answers
{
    private const string Names = "instfmc";

    /// <summary>The query of a request: what its handler is to do, with a checksum, as bytes may change on the way.</summary>
    public static string Query(Step step)
    {
        int failure = (int)step.Failure;
        return
            $"i={step.Id}&n={step.Upload}&s={step.Download}&t={step.HandlerTime}&f={failure}&m={(int)step.Method}&c={Sum([step.Id, step.Upload, step.Download, step.HandlerTime, failure, (int)step.Method])}";
    }

    /// <summary>Reads a query; null when it is not one of ours any more.</summary>
    public static Step? Read(CoapRequestContext request)
    {
        int[] values = new int[7];
        int at = 0;
        foreach (string query in request.Queries)
        {
            if (at == values.Length || query.Length < 3 || query[0] != Names[at] || query[1] != '='
                || !int.TryParse(query.AsSpan(2), NumberStyles.None, CultureInfo.InvariantCulture, out values[at]))
            {
                return null;
            }

            at++;
        }

        return at == values.Length && values[6] == Sum(values.AsSpan(0, 6))
            ? new Step
            {
                Id = values[0], Upload = values[1], Download = values[2], HandlerTime = values[3],
                Failure = (HandlerFailure)values[4], Method = (CoapMethod)values[5]
            }
            : null;
    }

    /// <summary>The body of the request with an id.</summary>
    public static byte[] Upload(int id, int size)
    {
        byte[] body = new byte[size];
        Dice.Fill((ulong)id, body);
        return body;
    }

    /// <summary>The body of the answer of a node to a request.</summary>
    public static byte[] Download(int id, int node, int size) =>
        Body($"i={id} node={node};", ((ulong)id << 8) + (uint)node, size);

    /// <summary>A state of an observable resource.</summary>
    public static byte[] State(int value, int node, bool isLarge) =>
        Body($"v={value} node={node};", ((ulong)value << 20) + (uint)node,
            isLarge ? 1500 + (value % 7 * 100) : 0);

    /// <summary>Which state a body is; null when it is none, or not whole.</summary>
    public static int? ReadState(ReadOnlySpan<byte> body, int node, bool isLarge)
    {
        int end = body.IndexOf((byte)' ');
        return end > 2 && body.StartsWith("v="u8)
            && int.TryParse(body[2..end], NumberStyles.None, CultureInfo.InvariantCulture, out int value)
            && body.SequenceEqual(State(value, node, isLarge)) ? value : null;
    }

    private static byte[] Body(string head, ulong number, int size)
    {
        byte[] body = new byte[Math.Max(size, head.Length)];
        Dice.Fill(number, body);
        Encoding.ASCII.GetBytes(head, body);
        return body;
    }

    private static int Sum(ReadOnlySpan<int> values)
    {
        long sum = 12_345;
        foreach (int value in values)
        {
            sum = ((sum * 7919) + value) % 99_991;
        }

        return (int)sum;
    }
}
