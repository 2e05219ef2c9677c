namespace CoAP.NET;

/// <summary>Why a text is no document in link format.</summary>
/// <param name="Offset">Where: in characters of a string, in bytes of UTF-8.</param>
/// <param name="Message">What is wrong there.</param>
public readonly record struct CoapLinkFormatError(int Offset, string Message);
