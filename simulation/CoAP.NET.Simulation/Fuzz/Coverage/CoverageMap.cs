using System.Reflection;

namespace CoAP.NET.Simulation.Fuzz;

/// <summary>What a library that was rewritten by <see cref="CoverageInstrumenter"/> counts: which sides of its branches were ever reached.</summary>
internal sealed unsafe class CoverageMap
{
    private readonly long* _reached;
    private readonly byte* _map;

    private CoverageMap(nint state, int blocks)
    {
        _reached = (long*)state;
        _map = (byte*)state + CoverageInstrumenter.MapOffset;
        Blocks = blocks;
    }

    /// <summary>How many places there are.</summary>
    public int Blocks { get; }

    /// <summary>How many of them were reached.</summary>
    public long Reached => *_reached;

    /// <summary>The map of the library that this code uses; null when it was not rewritten.</summary>
    public static CoverageMap? Find()
    {
        Type? type = typeof(CoapMessage).Assembly.GetType(CoverageInstrumenter.TypeName);
        return type is null
            ? null
            : new CoverageMap(
                (nint)type.GetField(CoverageInstrumenter.StateField, BindingFlags.Public | BindingFlags.Static)!.GetValue(null)!,
                (int)type.GetField(CoverageInstrumenter.CountField, BindingFlags.Public | BindingFlags.Static)!.GetRawConstantValue()!);
    }

    /// <summary>Forgets what was reached.</summary>
    public void Clear()
    {
        new Span<byte>(_map, Blocks).Clear();
        *_reached = 0;
    }
}
