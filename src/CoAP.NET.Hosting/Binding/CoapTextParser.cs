using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Binding;

/// <summary>Parses a value from text. For generated code.</summary>
/// <typeparam name="T">The type of the value.</typeparam>
/// <param name="text">The text.</param>
/// <param name="value">The value.</param>
/// <returns>True if the text is valid.</returns>
[EditorBrowsable(EditorBrowsableState.Never)]
public delegate bool CoapTextParser<T>(string text, [MaybeNullWhen(false)] out T value);
