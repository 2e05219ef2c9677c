namespace CoAP.NET;

/// <summary>The only class that uses the generator of the operating system.</summary>
internal sealed class SecureRandomSource : CoapRandomSource
{
#pragma warning disable RS0030 // this is the injected source that all other code uses
    public override void Fill(Span<byte> destination) => System.Security.Cryptography.RandomNumberGenerator.Fill(destination);
#pragma warning restore RS0030
}
