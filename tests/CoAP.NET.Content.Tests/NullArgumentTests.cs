using CoAP.NET.Tests.Structure;

namespace CoAP.NET.Content.Tests;

/// <summary>A null argument that a caller passes by mistake is refused at once.</summary>
public sealed class NullArgumentTests
{
    [Fact]
    public void A_member_refuses_a_null_argument() =>
        NullArguments.AreRefused(typeof(CoapSenmlPack).Assembly, atLeast: 1);
}
