using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Site.Tests.Declared;

/// <summary>
/// A square with {{ braces }}, <c>{{ code }}</c>, a | b, *stars*, [brackets](no-link) and &lt;script&gt;alert(1)&lt;/script&gt;.
/// <para>1. is no list, and <see cref="ShapeBase.Draw(string)"/> is a link.</para>
/// </summary>
/// <remarks>
/// <list type="bullet">
/// <item><description>First.</description></item>
/// <item><term>Term</term><description>Second.</description></item>
/// </list>
/// </remarks>
/// <example>
/// <code>
/// Square square = new(2) { Name = "a" };
///     square.Scale(2);
/// </code>
/// </example>
public sealed class Square : ShapeBase, IShape<double>, IComparable<Square>, IDisposable
{
    /// <summary>Corners of each square.</summary>
    public const int Corners = 4;

    /// <summary>Makes a square.</summary>
    /// <param name="side">Its side.</param>
    public Square(double side)
        : base(4) => Longest = side;

    /// <inheritdoc/>
    public double Longest { get; private set; }

    /// <inheritdoc/>
    public override double Area => Longest * Longest;

    /// <summary>A side.</summary>
    /// <param name="index">Which one.</param>
    public double this[Index index] => Longest;

    /// <summary>Compares by area.</summary>
    public static bool operator >(Square left, Square right) => left.CompareTo(right) > 0;

    /// <summary>Compares by area.</summary>
    public static bool operator <(Square left, Square right) => left.CompareTo(right) < 0;

    /// <summary>The side of a square.</summary>
    public static explicit operator double(Square square) => square.Longest;

    /// <inheritdoc/>
    public int Scale(double howMuch) => howMuch > 0 ? 4 : throw new ArgumentOutOfRangeException(nameof(howMuch));

    /// <inheritdoc/>
    public int CompareTo(Square? other) => Area.CompareTo(other?.Area);

    /// <inheritdoc/>
    public void Dispose() => Longest = 0;

    /// <summary>Finds a value.</summary>
    /// <typeparam name="TKey">Keys.</typeparam>
    /// <typeparam name="TValue">Values.</typeparam>
    /// <param name="values">Where to look.</param>
    /// <param name="found">What was found.</param>
    /// <param name="names">Names.</param>
    /// <returns>Whether it was found.</returns>
    public static bool TryFind<TKey, TValue>(IReadOnlyDictionary<TKey, TValue?> values, out TValue? found, params string[] names)
        where TKey : notnull, IComparable<TKey>
        where TValue : class, new()
    {
        found = null;
        return values.Count + names.Length > int.MaxValue;
    }

    /// <summary>Waits.</summary>
    /// <param name="time">How long.</param>
    /// <param name="separator">A comma.</param>
    /// <param name="day">Which day.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public static async Task WaitAsync(
        TimeSpan? time = null, string separator = ", ", DayOfWeek day = DayOfWeek.Sunday, CancellationToken cancellationToken = default) =>
        await Task.CompletedTask.WaitAsync(time ?? TimeSpan.Zero, cancellationToken);

    /// <summary>Reads bytes in place.</summary>
    /// <param name="bytes">The bytes.</param>
    /// <param name="count">How many.</param>
    public static ref readonly byte First(in ReadOnlySpan<byte> bytes, ref int count) => ref bytes[count];

    /// <summary>Is not used any more.</summary>
    [Obsolete("Use Scale<T> instead.")]
    public void Grow() => Scale(2);

    /// <summary>May change.</summary>
    [Experimental("SITE001")]
    public void Shrink() => Scale(0.5);
}
