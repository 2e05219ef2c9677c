using CoAP.NET.PubSub.Topics;

namespace CoAP.NET.PubSub.Serving;

/// <summary>Connects the broker to the rules of the table. The table calls it under its locks.</summary>
internal sealed class TopicTableRules(TopicIndex index, TopicChangeReactions reactions) : ICoapReplicatedTableRules
{
    public CoapTableDecision Decide(CoapTableDecisionContext context) => TopicOperationRules.Decide(context);

    public void OnChanged(CoapTableChange change)
    {
        index.OnChanged(change);
        reactions.Want();
    }
}
