namespace CoAP.NET;

/// <summary>The one place that owns the operating system's generator.</summary>
internal sealed class SecureRandomSource : CoapRandomSource
{
#pragma warning disable RS0030 // this is the injected source that everybody else takes
    public override void Fill(Span<byte> destination) => System.Security.Cryptography.RandomNumberGenerator.Fill(destination);
#pragma warning restore RS0030
}
