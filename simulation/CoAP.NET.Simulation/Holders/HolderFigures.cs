using System.Globalization;

namespace CoAP.NET.Simulation.Holders;

/// <summary>What a server measured of itself.</summary>
/// <param name="Heap">Bytes of live objects, after a collection of everything.</param>
/// <param name="Resident">Bytes of memory that the process has (RSS), after what is free was given back to the system.</param>
/// <param name="Held">What the row's bound counts.</param>
/// <param name="Proof">The counter that shows that the bound was run into.</param>
internal readonly record struct HolderFigures(long Heap, long Resident, long Held, long Proof)
{
    public static HolderFigures Parse(string text)
    {
        long[] numbers = [.. text.Split(' ').Select(static number => long.Parse(number, CultureInfo.InvariantCulture))];
        return new HolderFigures(numbers[0], numbers[1], numbers[2], numbers[3]);
    }

    public override string ToString() => string.Create(CultureInfo.InvariantCulture, $"{Heap} {Resident} {Held} {Proof}");
}
