using CoAP.NET.Options;

namespace CoAP.NET.Http.Backends;

/// <summary>
/// Answers of HTTP servers to GET that are kept for later requests of any client, as long as they are fresh (RFC 7252 section 5.6, RFC
/// 9111). The one that was not asked for longest goes first. Thread-safe.
/// </summary>
/// <param name="maxBytes">How many bytes may be kept; 0 for none.</param>
/// <param name="time">The clock.</param>
internal sealed class AnswerCache(long maxBytes, TimeProvider time)
{
    // What an answer takes beside its payload and its key.
    private const int Overhead = 512;

    private readonly Lock _gate = new();
    private readonly Dictionary<(string Target, int? Accept), LinkedListNode<Answer>> _answers = [];
    private readonly LinkedList<Answer> _byUse = [];
    private long _bytes;
    private long _hits;

    /// <summary>How many requests were answered.</summary>
    public long Hits => Interlocked.Read(ref _hits);

    /// <summary>A fresh answer, with what is left of its Max-Age; null when there is none.</summary>
    /// <param name="target">The URI.</param>
    /// <param name="accept">What the client accepts.</param>
    public CoapResult? Find(string target, CoapContentFormat? accept)
    {
        lock (_gate)
        {
            if (!_answers.TryGetValue((target, accept?.Value), out LinkedListNode<Answer>? node))
            {
                return null;
            }

            TimeSpan left = node.Value.Lifetime - time.GetElapsedTime(node.Value.ReceivedAt);
            if (left <= TimeSpan.Zero)
            {
                Remove(node);
                return null;
            }

            _byUse.Remove(node);
            _byUse.AddLast(node);
            Interlocked.Increment(ref _hits);
            return Copy(node.Value.Result).WithMaxAge(TimeSpan.FromSeconds(Math.Floor(left.TotalSeconds)));
        }
    }

    /// <summary>Keeps an answer, if it is fresh.</summary>
    /// <param name="target">The URI.</param>
    /// <param name="accept">What the client accepts.</param>
    /// <param name="result">The answer.</param>
    public void Store(string target, CoapContentFormat? accept, CoapResult result)
    {
        TimeSpan maxAge = result.Options.MaxAge ?? MaxAge.Default;
        if (result.Code != CoapCode.Content || maxAge <= TimeSpan.Zero)
        {
            return;
        }

        // One of them must not drive out all others.
        long size = result.Payload.Length + (2L * target.Length) + Overhead;
        if (size > maxBytes / 4)
        {
            return;
        }

        lock (_gate)
        {
            (string, int?) key = (target, accept?.Value);
            if (_answers.TryGetValue(key, out LinkedListNode<Answer>? old))
            {
                Remove(old);
            }

            while (_bytes + size > maxBytes && _byUse.First is { } oldest)
            {
                Remove(oldest);
            }

            _answers[key] = _byUse.AddLast(new Answer(key, Copy(result), maxAge, time.GetTimestamp(), size));
            _bytes += size;
        }
    }

    /// <summary>Forgets all answers of a resource, as it was changed.</summary>
    /// <param name="target">The URI.</param>
    public void Forget(string target)
    {
        lock (_gate)
        {
            LinkedListNode<Answer>? next;
            for (LinkedListNode<Answer>? node = _byUse.First; node is not null; node = next)
            {
                next = node.Next;
                if (node.Value.Key.Target == target)
                {
                    Remove(node);
                }
            }
        }
    }

    private void Remove(LinkedListNode<Answer> node)
    {
        _answers.Remove(node.Value.Key);
        _byUse.Remove(node);
        _bytes -= node.Value.Size;
    }

    // Who gets a result may change it.
    private static CoapResult Copy(CoapResult result)
    {
        CoapResult copy = new(result.Code, result.Payload);
        for (int i = 0; i < result.Options.Count; i++)
        {
            copy.Options.Add(result.Options.NumberAt(i), result.Options.ValueAt(i));
        }

        return copy;
    }

    private sealed record Answer((string Target, int? Accept) Key, CoapResult Result, TimeSpan Lifetime, long ReceivedAt, long Size);
}
