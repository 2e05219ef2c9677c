using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Binding;

/// <summary>Parses a value from text, or from the bytes of an option. For generated code.</summary>
/// <typeparam name="TSource">The type of the source: <see cref="string"/>, or a span of bytes.</typeparam>
/// <typeparam name="T">The type of the value.</typeparam>
/// <param name="source">The text or the bytes.</param>
/// <param name="value">The value.</param>
/// <returns>True if the source is valid.</returns>
[EditorBrowsable(EditorBrowsableState.Never)]
public delegate bool CoapParser<TSource, T>(TSource source, [MaybeNullWhen(false)] out T value)
    where TSource : allows ref struct;
