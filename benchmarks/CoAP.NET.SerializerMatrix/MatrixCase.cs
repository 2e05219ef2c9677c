using System.Globalization;

namespace CoAP.NET.Benchmarks;

/// <summary>One message of the matrix.</summary>
public readonly record struct MatrixCase
{
    private static readonly int[] s_sizes = [0, 1024, 4096, 65_536, 131_072];

    /// <summary>Creates a message of the matrix.</summary>
    /// <param name="options">The number of its options.</param>
    /// <param name="payload">The size of its payload, in bytes.</param>
    public MatrixCase(int options, int payload)
    {
        Options = options;
        Payload = payload;
    }

    /// <summary>
    /// The 25 of the published experiment: each of 0, 1,024, 4,096, 65,536 and 131,072 options with each of as many bytes of payload.
    /// </summary>
    public static IReadOnlyList<MatrixCase> All { get; } = [
        .. s_sizes.SelectMany(static _ => s_sizes, static (options, payload) => new MatrixCase(options, payload))];

    /// <summary>The number of its options.</summary>
    public int Options { get; }

    /// <summary>The size of its payload, in bytes.</summary>
    public int Payload { get; }

    /// <inheritdoc/>
    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Options}+{Payload}");
}
