namespace CoAP.NET.Dtls.Tests.Transport;

/// <summary>The clock of the system with another date.</summary>
internal sealed class ShiftedDate(TimeSpan ahead) : TimeProvider
{
    public override DateTimeOffset GetUtcNow() => base.GetUtcNow() + ahead;
}
