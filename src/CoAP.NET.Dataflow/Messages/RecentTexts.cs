using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace CoAP.NET.Messages;

/// <summary>
/// What is known of texts that came lately, such as URIs, of which most programs see the same few again and again. Of fixed size: a text
/// has two places that it may stand in, and replaces what stands in the second where the first is taken. For all threads. Compiled into
/// the packages of proxies as well.
/// </summary>
/// <typeparam name="TValue">What is known of a text.</typeparam>
internal sealed class RecentTexts<TValue>
    where TValue : class
{
    private const int Places = 512;

    // Longer ones are rare, and would be kept alive for nothing.
    private const int MaxLength = 256;

    private Entry?[]? _entries;

    /// <summary>Finds what is known of a text.</summary>
    /// <param name="text">The text.</param>
    /// <param name="value">What is known.</param>
    /// <returns>Whether there is something.</returns>
    public bool TryFind(ReadOnlySpan<char> text, [NotNullWhen(true)] out TValue? value)
    {
        value = null;
        if (_entries is not { } entries || text.Length > MaxLength)
        {
            return false;
        }

        uint hash = HashOf(text);
        value = Volatile.Read(ref entries[hash % Places]) is { } first && text.SequenceEqual(first.Text) ? first.Value
            : Volatile.Read(ref entries[hash / Places % Places]) is { } second && text.SequenceEqual(second.Text) ? second.Value
            : null;
        return value is not null;
    }

    /// <summary>Finds what is known of a text by its bytes, as they stand in an option. Makes no string.</summary>
    /// <param name="bytes">The bytes.</param>
    /// <param name="value">What is known.</param>
    /// <returns>Whether there is something. False also for what is not all ASCII.</returns>
    public bool TryFind(ReadOnlySpan<byte> bytes, [NotNullWhen(true)] out TValue? value)
    {
        value = null;
        Span<char> text = stackalloc char[MaxLength];
        return bytes.Length <= MaxLength && Ascii.ToUtf16(bytes, text, out int length) == OperationStatus.Done
            && TryFind(text[..length], out value);
    }

    /// <summary>Notes what is known of a text. A long one is not noted.</summary>
    /// <param name="text">The text.</param>
    /// <param name="value">What is known.</param>
    public void Note(string text, TValue value)
    {
        if (text.Length > MaxLength)
        {
            return;
        }

        Entry?[] entries = _entries ??= new Entry?[Places];
        uint hash = HashOf(text);
        ref Entry? first = ref entries[hash % Places];
        bool isFirst = Volatile.Read(ref first) is not { } there || there.Text == text;
        Volatile.Write(ref isFirst ? ref first : ref entries[hash / Places % Places], new Entry(text, value));
    }

    private static uint HashOf(ReadOnlySpan<char> text) => (uint)string.GetHashCode(text, StringComparison.Ordinal);

    private sealed record Entry(string Text, TValue Value);
}
