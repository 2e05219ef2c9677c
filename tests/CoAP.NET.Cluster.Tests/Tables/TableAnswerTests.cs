using CoAP.NET.Cluster.Tables;
using static CoAP.NET.Cluster.Tests.Tables.TableExtensions;

namespace CoAP.NET.Cluster.Tests.Tables;

/// <summary>What the node that asks about a table makes of the owner's answer.</summary>
public sealed class TableAnswerTests
{
    private readonly PendingTableRequest _asking = new(default, Key(9), default, FromSeconds(1), TimeProvider.System);

    [Fact]
    public void An_answer_gives_the_reply_or_throws_the_failure_of_the_owner()
    {
        Assert.Equal("yes"u8.ToArray(), TableAnswer.Of("yes"u8.ToArray()).GetReply(_asking)!.Value.ToArray());
        Assert.Null(TableAnswer.Moved.GetReply(_asking));
        Assert.Throws<CoapException>(() => TableAnswer.Failed("no rules").GetReply(_asking)).Mentions("no rules");
        TableAnswer full = TableAnswer.Of(new CoapTableUnavailableException(CoapTableUnavailableReason.Full, FromSeconds(7), "full"));
        CoapTableUnavailableException unavailable = Assert.Throws<CoapTableUnavailableException>(() => full.GetReply(_asking));
        Assert.Equal((CoapTableUnavailableReason.Full, FromSeconds(7), false, "full"),
            (unavailable.Reason, unavailable.RetryAfter, unavailable.IsOutcomeUnknown, unavailable.Message));
    }

    [Fact]
    public void A_failure_after_an_attempt_with_an_unknown_outcome_has_an_unknown_outcome()
    {
        _asking.IsOutcomeUnknown = true;
        TableAnswer full = TableAnswer.Of(new CoapTableUnavailableException(CoapTableUnavailableReason.Full, FromSeconds(7), "full"));

        Assert.True(Assert.Throws<CoapTableUnavailableException>(() => full.GetReply(_asking)).IsOutcomeUnknown);
    }

    [Fact]
    public void An_answer_of_a_kind_that_only_a_later_version_knows_is_no_reply() =>
        Assert.Null(new TableAnswer((TableAnswerKind)9).GetReply(_asking));
}
