using CoAP.NET.Tests.Structure;

namespace CoAP.NET.Tests.Messages;

/// <summary>A null argument that a caller passes by mistake is refused at once.</summary>
public sealed class NullArgumentTests
{
    [Fact]
    public void A_null_argument_is_refused_by_the_member_that_gets_it() =>
        NullArguments.AreRefused(typeof(CoapMessage).Assembly, atLeast: 1);
}
