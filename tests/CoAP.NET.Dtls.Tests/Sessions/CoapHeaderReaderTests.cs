namespace CoAP.NET.Dtls.Tests.Sessions;

public sealed class CoapHeaderReaderTests
{
    [Theory]
    // An acknowledgement and a Reset, empty; an acknowledgement with a notification.
    [InlineData("60001234", true)]
    [InlineData("70001234", true)]
    [InlineData("614512340160", true)]
    // A Confirmable and a Non-confirmable response: without options, with a payload, with an ETag, with Content-Format.
    [InlineData("40451234", true)]
    [InlineData("50451234FF6162", true)]
    [InlineData("5145123401440102030440", true)]
    [InlineData("5145123401C0FF31", true)]
    [InlineData("6045123460", true)]
    // Notifications: Observe of no, one and three bytes; after an ETag; with tokens of 8, 13 and 269 bytes.
    [InlineData("5145123401" + "60", false)]
    [InlineData("5145123401" + "6105", false)]
    [InlineData("4145123401" + "63010203" + "60FF31", false)]
    [InlineData("5145123401" + "4401020304" + "2105", false)]
    [InlineData("58451234" + "0102030405060708" + "6105", false)]
    [InlineData("5D451234" + "00" + "0102030405060708090A0B0C0D" + "6105", false)]
    // Requests and a ping.
    [InlineData("4001123460", false)]
    [InlineData("50021234", false)]
    [InlineData("40001234", false)]
    // Cut off: no notification.
    [InlineData("5D451234", true)]
    [InlineData("5145123401" + "D0", true)]
    [InlineData("5145123401" + "44", true)]
    [InlineData("50", false)]
    [InlineData("", false)]
    public void IsReaction_is_true_for_acknowledgements_Resets_and_responses_except_notifications(string hex, bool isReaction) =>
        Assert.Equal(isReaction, CoapHeaderReader.IsReaction(Convert.FromHexString(hex)));
}
