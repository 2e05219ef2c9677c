using System.Reflection;
using CoAP.NET.Dtls;
using CoAP.NET.Http;
using CoAP.NET.Proxy;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>
/// What libraries that were rewritten by <see cref="CoverageInstrumenter"/> count: which sides of their branches were ever reached.
/// </summary>
internal sealed unsafe class CoverageMap
{
    private readonly (nint State, int Blocks)[] _parts;

    private CoverageMap((nint State, int Blocks)[] parts)
    {
        _parts = parts;
        Blocks = parts.Sum(part => part.Blocks);
    }

    /// <summary>What is rewritten: messages, the core, and the packages of contents, proxies, HTTP and DTLS.</summary>
    public static IReadOnlyList<Assembly> Libraries =>
    [
        typeof(CoapMessage).Assembly, typeof(CoapServer).Assembly, typeof(CoapProblem).Assembly, typeof(CoapProxy).Assembly,
        typeof(CoapHttpTranslator).Assembly, typeof(CoapDtls).Assembly,
    ];

    /// <summary>How many places there are.</summary>
    public int Blocks { get; }

    /// <summary>How many of them were reached.</summary>
    public long Reached
    {
        get
        {
            long reached = 0;
            foreach ((nint state, _) in _parts)
            {
                reached += *(long*)state;
            }

            return reached;
        }
    }

    /// <summary>The map of the libraries that this code uses; null when they were not rewritten.</summary>
    public static CoverageMap? Find()
    {
        (nint State, int Blocks)[] parts = [
            .. Libraries.Select(library => library.GetType(CoverageInstrumenter.TypeName)).OfType<Type>().Select(type => (
                (nint)type.GetField(CoverageInstrumenter.StateField, BindingFlags.Public | BindingFlags.Static)!.GetValue(null)!,
                (int)type.GetField(CoverageInstrumenter.CountField, BindingFlags.Public | BindingFlags.Static)!.GetRawConstantValue()!))];
        return parts.Length == 0 ? null : new CoverageMap(parts);
    }

    /// <summary>Forgets what was reached.</summary>
    public void Clear()
    {
        foreach ((nint state, int blocks) in _parts)
        {
            new Span<byte>((byte*)state + CoverageInstrumenter.MapOffset, blocks).Clear();
            *(long*)state = 0;
        }
    }
}
