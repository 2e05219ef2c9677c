using CoAP.NET.Simulation.Traces;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>
/// Loads the core and the packages of contents, proxies, HTTP and DTLS once more, rewritten by <see cref="CoverageInstrumenter"/>, with the
/// fuzzer beside them: each worker has its own, so that what one reaches is not counted for the other.
/// </summary>
internal static class FuzzIsolation
{
    /// <summary>The libraries rewritten, by their names.</summary>
    public static IReadOnlyDictionary<string, byte[]> Rewrite() =>
        CoverageMap.Libraries.ToDictionary(library => library.GetName().Name!,
            library => CoverageInstrumenter.Rewrite(library.Location));

    /// <summary>Makes a worker's <see cref="FuzzSession.Run"/>.</summary>
    /// <param name="libraries">The libraries rewritten.</param>
    public static Func<ulong, long, string?, string?, object?[], CancellationToken, string[][]> Make(
        IReadOnlyDictionary<string, byte[]> libraries) =>
        new LibraryCopy(libraries).Bind<Func<ulong, long, string?, string?, object?[], CancellationToken, string[][]>>(
            typeof(FuzzSession), nameof(FuzzSession.Run));
}
