namespace CoAP.NET.Tests.Shared;

/// <summary>What a text, or the message of an exception, is expected to have; by ordinals, as texts of programs.</summary>
internal static class TextAssert
{
    public static void Mentions(this string? text, string part) => Assert.Contains(part, text, Ordinal);

    public static void Mentions(this Exception? exception, string part) => Mentions(exception?.Message, part);

    public static void Omits(this string? text, string part) => Assert.DoesNotContain(part, text, Ordinal);

    public static void Begins(this string? text, string part) => Assert.StartsWith(part, text, Ordinal);

    public static void Ends(this string? text, string part) => Assert.EndsWith(part, text, Ordinal);
}
