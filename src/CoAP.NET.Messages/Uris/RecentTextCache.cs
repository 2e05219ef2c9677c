using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace CoAP.NET.Uris;

/// <summary>
/// A cache for recent texts, such as URIs: most programs use the same few again and again. It has a fixed size: a text has two possible
/// slots, and replaces the text in the second slot if the first is occupied. Thread-safe.
/// </summary>
internal sealed class RecentTextCache<TValue>
    where TValue : class
{
    private const int Capacity = 512;

    // Longer ones are rare, and would waste memory.
    private const int MaxLength = 256;

    private Entry?[]? _entries;

    public bool TryFind(ReadOnlySpan<char> text, [NotNullWhen(true)] out TValue? value)
    {
        value = null;
        if (_entries is not { } entries || text.Length > MaxLength)
        {
            return false;
        }

        uint hash = HashOf(text);
        value = Volatile.Read(ref entries[hash % Capacity]) is { } first && text.SequenceEqual(first.Text) ? first.Value
            : Volatile.Read(ref entries[hash / Capacity % Capacity]) is { } second && text.SequenceEqual(second.Text) ? second.Value
            : null;
        return value is not null;
    }

    /// <summary>Finds the value of a text by its bytes, as in an option. It allocates no string.</summary>
    /// <param name="bytes">The bytes.</param>
    /// <param name="value">The value.</param>
    /// <returns>Whether there is one. Always false for bytes outside ASCII.</returns>
    public bool TryFind(ReadOnlySpan<byte> bytes, [NotNullWhen(true)] out TValue? value)
    {
        value = null;
        Span<char> text = stackalloc char[MaxLength];
        return bytes.Length <= MaxLength && Ascii.ToUtf16(bytes, text, out int length) == OperationStatus.Done
            && TryFind(text[..length], out value);
    }

    /// <summary>Stores the value of a text. A long text is not stored.</summary>
    public void Note(string text, TValue value)
    {
        if (text.Length > MaxLength)
        {
            return;
        }

        Entry?[] entries = _entries ??= new Entry?[Capacity];
        uint hash = HashOf(text);
        ref Entry? first = ref entries[hash % Capacity];
        bool isFirst = Volatile.Read(ref first) is not { } there || there.Text == text;
        Volatile.Write(ref isFirst ? ref first : ref entries[hash / Capacity % Capacity], new Entry(text, value));
    }

    private static uint HashOf(ReadOnlySpan<char> text) => (uint)string.GetHashCode(text, StringComparison.Ordinal);

    private sealed record Entry(string Text, TValue Value);
}
